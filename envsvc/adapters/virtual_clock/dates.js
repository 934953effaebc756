// Dates, formats of dates, and what the browser itself says or stores as a date.

const wrapDates = (realm, state) => {
  const Native = realm.Date;
  const toText = Native.prototype.toString;
  wrap(Native, 'now', () => epoch(state));
  const Shown = proxied(Native, {
    apply: (target) => apply(toText, new target(epoch(state)), []),
    construct: (target, args, made) => construct(target, args.length ? args : [epoch(state)], made),
  });
  replace(realm, 'Date', Shown);
  replace(Native.prototype, 'constructor', Shown);
};

const wrapFormats = (realm, state) => {
  const formats = new WeakMap();
  const filled = (target, self, args) =>
    apply(target, self, [args[0] === undefined ? epoch(state) : args[0]]);
  const prototype = realm.Intl && realm.Intl.DateTimeFormat.prototype;
  wrapGetter(prototype, 'format', (target, self) => {
    const format = apply(target, self, []);
    if (!formats.has(format)) formats.set(format, proxied(format, { apply: filled }));
    return formats.get(format);
  });
  wrap(prototype, 'formatToParts', filled);
};

const wrapTemporal = (realm, state) => {
  const { Temporal } = realm;
  if (!Temporal) return;
  const { Now, Instant } = Temporal;
  const fromEpoch = Instant.fromEpochMilliseconds;
  const zoned = (args) =>
    fromEpoch(epoch(state)).toZonedDateTimeISO(args[0] === undefined ? Now.timeZoneId() : args[0]);
  wrap(Now, 'instant', () => fromEpoch(epoch(state)));
  wrap(Now, 'zonedDateTimeISO', (target, self, args) => zoned(args));
  wrap(Now, 'plainDateTimeISO', (target, self, args) => zoned(args).toPlainDateTime());
  wrap(Now, 'plainDateISO', (target, self, args) => zoned(args).toPlainDate());
  wrap(Now, 'plainTimeISO', (target, self, args) => zoned(args).toPlainTime());
};

const wrapDated = (realm, state) => {
  const { Date: Native, File, Document } = realm;
  if (File) {
    replaceClass(realm, 'File', {
      construct: (target, args, made) => {
        const options = args[2];
        const isDated = args.length < 2 || (options && options.lastModified !== undefined);
        const dated = isDated ? args : [args[0], args[1], { ...options, lastModified: epoch(state) }];
        return construct(target, dated, made);
      },
    });
  }
  wrapGetter(Document && Document.prototype, 'lastModified', (target, self) => {
    apply(target, self, []);
    const two = (number) => String(number).padStart(2, '0');
    const at = new Native(state.modified);
    const day = `${two(at.getMonth() + 1)}/${two(at.getDate())}/${at.getFullYear()}`;
    return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  });
};

// Cookies expire by the real clock: a date that a script made by ours keeps its distance.
const wrapCookies = (realm, state) => {
  const Native = realm.Date;
  const realNow = Native.now;
  const moved = (at) => {
    const now = state.clock.origin + peek(state);
    return at > now ? Math.min(at + realNow() - now, LAST_COOKIE_DATE) : at;
  };
  const movedText = (all, name, date) => {
    const at = Native.parse(date);
    return Number.isNaN(at) ? all : name + new Native(moved(at)).toUTCString();
  };
  wrapSetter(realm.Document && realm.Document.prototype, 'cookie', (target, self, args) => {
    const text = String(args[0]).replace(/(;\s*expires\s*=\s*)([^;]+)/i, movedText);
    return apply(target, self, [text]);
  });
  wrap(realm.CookieStore && realm.CookieStore.prototype, 'set', (target, self, args) => {
    const cookie = args[0];
    const isDated = cookie && typeof cookie.expires === 'number';
    return apply(target, self, isDated ? [{ ...cookie, expires: moved(cookie.expires) }] : args);
  });
};
