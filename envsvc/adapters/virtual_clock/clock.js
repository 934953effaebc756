// The clock of a page. It stands still but for what happens in the page itself, so that the same
// happenings read the same times: a reading, a timer's delay, a frame, what the user does.
// All in milliseconds since the clock's origin.

// The resolution of performance.now: two readings differ as they would live, and a loop that waits
// for a time to pass ends.
const READING = 0.1;
const FRAME = 1000 / 60;
// As long as a hurried person takes. Apps ignore a second click that comes too soon.
const ACTION = 1000;
const KEY_OR_REPEAT = 100;
const IDLE = 10;
const LAST_COOKIE_DATE = Date.UTC(9999, 11, 31);

const newClock = (settings) => ({ origin: settings.origin, now: settings.elapsed });

const rounded = (time) => Math.round(time * 10) / 10;

// What happens moves the clock of all frames that share it; a reading moves its own frame alone,
// so that frames which load in any order read the same.
const peek = (state) => rounded(state.clock.now + state.readings * READING);

const read = (state) => {
  state.readings += 1;
  return peek(state);
};

const pass = (state, time) => {
  state.clock.now += time;
};

const reach = (state, time) => pass(state, Math.max(0, time - peek(state)));

const epoch = (state) => Math.floor(state.clock.origin + read(state) + 0.001);

const wrapTimers = (realm, state) => {
  const timer = (target, self, args) => {
    if (typeof args[0] !== 'function') return apply(target, self, args);
    const handler = args[0];
    const wait = Math.max(Number(args[1]) || 0, 1);
    let due = peek(state) + wait;
    args[0] = function () {
      reach(state, due);
      due += wait;
      return apply(handler, this, arguments);
    };
    return apply(target, self, args);
  };
  wrap(realm, 'setTimeout', timer);
  wrap(realm, 'setInterval', timer);
  wrap(realm.Scheduler && realm.Scheduler.prototype, 'postTask', (target, self, args) => {
    const delay = args[1] && args[1].delay;
    return delay ? timer((...task) => apply(target, self, [task[0], args[1]]), self, [args[0], delay])
      : apply(target, self, args);
  });
  wrap(realm.Atomics, 'wait', (target, self, args) => {
    const ended = apply(target, self, args);
    if (ended === 'timed-out') pass(state, Math.max(Number(args[3]) || 0, 0));
    return ended;
  });
};

const wrapFrames = (realm, state) => {
  let shownAt = -1;
  wrap(realm, 'requestAnimationFrame', (target, self, args) => {
    const callback = args[0];
    if (typeof callback !== 'function') return apply(target, self, args);
    return apply(target, self, [function (real) {
      if (real !== shownAt) {
        shownAt = real;
        reach(state, (Math.floor(peek(state) / FRAME + 0.01) + 1) * FRAME);
        state.frame = peek(state);
      }
      return apply(callback, this, [state.frame]);
    }]);
  });
  const opened = new WeakMap();
  wrap(realm.IdleDeadline && realm.IdleDeadline.prototype, 'timeRemaining', (target, self, args) => {
    if (apply(target, self, args) === 0 && self.didTimeout) return 0;
    if (!opened.has(self)) opened.set(self, peek(state));
    return Math.max(0, rounded(opened.get(self) + IDLE - read(state)));
  });
};

const followInput = (target, state) => {
  const steps = {
    mousedown: (event) => (event.detail > 1 ? KEY_OR_REPEAT : ACTION),
    touchstart: () => ACTION,
    keydown: () => KEY_OR_REPEAT,
    mousemove: () => FRAME,
    touchmove: () => FRAME,
    wheel: () => FRAME,
    scroll: () => FRAME,
  };
  const follow = (event) => {
    if (event.isTrusted) pass(state, steps[event.type](event));
  };
  for (const type of Object.keys(steps)) {
    target.addEventListener(type, follow, { capture: true, passive: true });
  }
};
