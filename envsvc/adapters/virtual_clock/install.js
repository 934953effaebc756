// Put everything in place in one realm: a page, a worker, or a window that a page has made.

const start = (realm, state, settings, clock) => {
  Object.assign(state, settings, {
    settings,
    clock: clock || newClock(settings),
    modified: settings.modified === undefined ? settings.origin : settings.modified,
    loaded: settings.elapsed,
    random: stream(`${settings.seed}/random`),
    bytes: stream(`${settings.seed}/bytes`),
    readings: 0,
    workers: 0,
    frames: 0,
  });
  if (realm.document) state.look();
};

const install = (realm, settings, clock) => {
  const state = { followed: new WeakSet(), seen: new WeakSet() };
  // How another document's script knows that this window has its clock, and steers it. The
  // browser's own method does nothing with a text that is no URL.
  wrap(realm.URL, 'revokeObjectURL', (target, self, args) => {
    if (args[0] !== settings.key || !args[1]) return apply(target, self, args);
    if (args[1] === 'look') state.look();
    else if (realm.document) start(realm, state, args[1]);
    return settings.key;
  });
  wrapTexts(realm);
  wrapCookies(realm, state);
  wrapDated(realm, state);
  wrapAnswers(realm, state);
  wrapFormats(realm, state);
  wrapTemporal(realm, state);
  wrapDates(realm, state);
  wrapRandom(realm, state);
  wrapTimers(realm, state);
  wrapPerformance(realm, state);
  wrapWorkers(realm, state);
  if (realm.document) {
    wrapFrames(realm, state);
    wrapWindows(realm, state);
    wrapFrameTexts(realm, state);
    state.look = followFrames(realm, state);
  } else {
    hideMark(realm);
  }
  start(realm, state, settings, clock);
};

const begin = () => {
  if (!globalThis.document) return settings;
  const { currentScript } = document;
  const text = currentScript.textContent;
  currentScript.remove();
  // A document within this page, with the page's own script: of another origin, if it has no
  // clock yet.
  const isWithin = /^(about|data):$/.test(location.protocol);
  const seed = isWithin ? `${settings.seed}/${location.href}` : settings.seed;
  return { ...settings, text, seed, isWithin };
};

const begun = begin();
const isKnown = URL.revokeObjectURL(settings.key, begun.isWithin ? 'look' : begun) === settings.key;
if (!isKnown) install(globalThis, begun);
