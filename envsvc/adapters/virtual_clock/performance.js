// What a page measures. The browser's own measurements of loading, painting and input are real
// times; they become fixed ones in a possible order: everything was loaded just before the clock
// began. Marks and measures are the page's, and are made by our clock.

const LOADING = [
  'navigationStart', 'startTime', 'unloadEventStart', 'unloadEventEnd', 'redirectStart',
  'redirectEnd', 'activationStart', 'workerStart', 'fetchStart', 'domainLookupStart',
  'domainLookupEnd', 'connectStart', 'secureConnectionStart', 'connectEnd', 'requestStart',
  'firstInterimResponseStart', 'finalResponseHeadersStart', 'responseStart', 'responseEnd',
  'domLoading', 'domInteractive', 'domContentLoadedEventStart', 'domContentLoadedEventEnd',
  'domComplete', 'loadEventStart', 'loadEventEnd',
];
const ANSWERED = LOADING.indexOf('finalResponseHeadersStart');
const LOADED = LOADING.length - ANSWERED;
const MEASURING = new RegExp('^(Performance(Entry|(Resource|Navigation|Paint|Event|Element|Script'
  + '|LongTask|LongAnimationFrame)Timing)|LargestContentfulPaint|LayoutShift|TaskAttributionTiming)$');
const LASTING = /[dD]uration$/;
const MEASURED = /(Start|End|Time|Timestamp|[dD]uration)$|^dom(Loading|Interactive|Complete)$/;
const OWN = /^(mark|measure)$/;
const LASTED = 50;

const loadingTime = (state, name) => {
  const found = LOADING.indexOf(name);
  const index = found < 0 ? LOADING.length : found;
  return index < ANSWERED ? rounded(index / 10) : state.loaded - LOADED + index - ANSWERED;
};

const measuredTime = (state, entry, name) => {
  if (LASTING.test(name)) return lasted(state, entry);
  const isLoading = /^(navigation|resource)$/.test(entry.entryType);
  return loadingTime(state, isLoading ? name : 'other');
};

const lasted = (state, entry) => {
  if (entry.entryType === 'navigation') return loadingTime(state, 'loadEventEnd');
  if (entry.entryType !== 'resource') return LASTED;
  return rounded(loadingTime(state, 'responseEnd') - loadingTime(state, 'startTime'));
};

const wrapMeasured = (realm, state) => {
  const own = (prototype) => Object.getOwnPropertyNames(prototype || {});
  for (const name of own(realm).filter((known) => MEASURING.test(known))) {
    const prototype = realm[name] && realm[name].prototype;
    for (const key of own(prototype).filter((known) => MEASURED.test(known))) {
      wrapGetter(prototype, key, (target, self) => {
        const real = apply(target, self, []);
        const isTime = real && typeof real === 'number';
        return isTime && !OWN.test(self.entryType) ? measuredTime(state, self, key) : real;
      });
    }
  }
  const Timing = realm.PerformanceTiming && realm.PerformanceTiming.prototype;
  for (const key of own(Timing).filter((known) => LOADING.includes(known))) {
    wrapGetter(Timing, key, (target, self) => {
      const real = apply(target, self, []);
      return real && Math.floor(state.clock.origin + loadingTime(state, key));
    });
  }
  const visits = new Map();
  wrapGetter(realm.PerformanceEntry && realm.PerformanceEntry.prototype, 'navigationId', (target, self) => {
    const real = apply(target, self, []);
    if (!visits.has(real)) visits.set(real, visits.size + 1);
    return real && visits.get(real);
  });
  const Seen = realm.IntersectionObserverEntry;
  wrapGetter(Seen && Seen.prototype, 'time', () => peek(state));
};

// JSON of an entry and of performance itself says what their properties say.
const wrapJson = (holder) => {
  wrap(holder && holder.prototype, 'toJSON', (target, self, args) => {
    const shown = apply(target, self, args);
    for (const key of Object.keys(shown)) {
      if (typeof shown[key] === 'number') shown[key] = self[key];
    }
    return shown;
  });
};

const wrapMarks = (realm, state) => {
  const dated = (args) => {
    const options = args[1];
    const isDated = !args.length || (options && options.startTime !== undefined);
    return isDated ? args : [args[0], { ...options, startTime: read(state) }];
  };
  const isLoading = (at) => typeof at === 'string' && LOADING.includes(at) && realm.document;
  const point = (at) => (isLoading(at) ? loadingTime(state, at) : at);
  // Where no end is given the browser's own would end it by the real clock.
  const ended = (options) => {
    const isEnded = options.end !== undefined || options.duration !== undefined;
    const end = isEnded ? point(options.end) : read(state);
    return { ...options, start: point(options.start), end };
  };
  const measured = (args) => {
    const [name, from, to] = args;
    if (typeof from === 'object' && from) return to === undefined ? [name, ended(from)] : args;
    const text = (at) => (at === undefined ? at : String(at));
    return [name, ended({ start: text(from), end: text(to) })];
  };
  const prototype = realm.Performance.prototype;
  wrap(prototype, 'mark', (target, self, args) => apply(target, self, dated(args)));
  wrap(prototype, 'measure', (target, self, args) =>
    apply(target, self, args.length ? measured(args) : args));
  replaceClass(realm, 'PerformanceMark', {
    construct: (target, args, made) => construct(target, dated(args), made),
  });
};

const wrapPerformance = (realm, state) => {
  if (!realm.Performance) return;
  const prototype = realm.Performance.prototype;
  wrap(prototype, 'now', (target, self, args) => {
    apply(target, self, args);
    return read(state);
  });
  wrapGetter(prototype, 'timeOrigin', () => state.clock.origin);
  wrapMeasured(realm, state);
  wrapMarks(realm, state);
  for (const name of Object.getOwnPropertyNames(realm)) {
    if (MEASURING.test(name) || name === 'Performance') wrapJson(realm[name]);
  }
  wrapJson(realm.PerformanceTiming);
  const happened = new WeakMap();
  wrapGetter(realm.Event && realm.Event.prototype, 'timeStamp', (target, self) => {
    apply(target, self, []);
    if (!happened.has(self)) happened.set(self, peek(state));
    return happened.get(self);
  });
};
