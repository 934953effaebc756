// Workers get the same clock. The code of a worker from the web is changed by the server, which is
// told by a mark on its address; code that never crosses the network is changed here.

const MARK = /([?&])__worker=[a-z][0-9a-f]{8}(?=#|$)/;
const DIRECTIVE = /^(\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(["'])use strict\2/;

const childSettings = (state) => {
  state.workers += 1;
  const seed = `${state.seed}/worker${state.workers}`;
  const { key, clock } = state;
  return { key, seed, origin: clock.origin, elapsed: peek(state) };
};

const childCode = (state, isStrict) =>
  `${isStrict ? '"use strict";' : ''}(${source})(${JSON.stringify(childSettings(state))});`;

const marked = (realm, state, url, type) => {
  const home = realm.document ? realm.document.baseURI : realm.location.href;
  const whole = new URL(url, home);
  if (!/^https?:$/.test(whole.protocol) || MARK.test(whole.href)) return url;
  const { seed } = childSettings(state);
  const token = (hash(type.shared ? state.key : seed, 0x2545f491) >>> 0).toString(16).padStart(8, '0');
  whole.search += `${whole.search ? '&' : '?'}__worker=${type.module ? 'm' : 'c'}${token}`;
  return whole.href;
};

const changedData = (state, url) => {
  const [, head, isCoded, text] = /^(data:[^,]*?)(;\s*base64\s*)?,([^]*)$/i.exec(new URL(url).href);
  const plain = isCoded ? atob(decodeURIComponent(text)) : unescape(text);
  const code = childCode(state, DIRECTIVE.test(plain));
  return `${head};base64,${btoa(code + plain)}`;
};

const wrapBlobs = (realm, state) => {
  const { URL: Url, Blob: Native } = realm;
  const toUrl = Url.createObjectURL;
  const blobs = new Map();
  const strict = new WeakSet();
  const shared = new Map();
  replaceClass(realm, 'Blob', {
    construct: (target, args, made) => {
      const blob = construct(target, args, made);
      const first = Array.isArray(args[0]) && args[0][0];
      if (typeof first === 'string' && DIRECTIVE.test(first)) strict.add(blob);
      return blob;
    },
  });
  wrap(Url, 'createObjectURL', (target, self, args) => {
    const url = apply(target, self, args);
    if (args[0] instanceof Native) blobs.set(url, args[0]);
    return url;
  });
  wrap(Url, 'revokeObjectURL', (target, self, args) => {
    blobs.delete(String(args[0]));
    return apply(target, self, args);
  });
  return (url, isShared) => {
    // A shared worker is known by its address: the same one must lead to the same one.
    if (isShared && shared.has(url)) return shared.get(url);
    const blob = blobs.get(url);
    if (!blob) return url;
    const parts = [childCode(state, strict.has(blob)), blob];
    const changed = apply(toUrl, Url, [construct(Native, [parts, { type: blob.type }])]);
    if (isShared) shared.set(url, changed);
    return changed;
  };
};

const wrapWorkers = (realm, state) => {
  if (!realm.URL || !realm.URL.createObjectURL) return;
  const changedBlob = wrapBlobs(realm, state);
  const change = (given, options, isShared) => {
    const url = String(given);
    const type = { module: Boolean(options) && options.type === 'module', shared: isShared };
    try {
      if (/^blob:/i.test(url)) return changedBlob(url, isShared);
      return /^data:/i.test(url) ? changedData(state, url) : marked(realm, state, url, type);
    } catch {
      // The browser's own refuses it.
      return url;
    }
  };
  for (const name of ['Worker', 'SharedWorker']) {
    replaceClass(realm, name, {
      construct: (target, args, made) => {
        if (!args.length) return construct(target, args, made);
        const isTrusted = realm.trustedTypes && realm.trustedTypes.isScriptURL(args[0]);
        const changed = change(args[0], args[1], name === 'SharedWorker');
        const url = isTrusted ? trusted(realm, state, 'createScriptURL', changed) : changed;
        return construct(target, [url, ...args.slice(1)], made);
      },
    });
  }
};

// A worker does not see the mark on its own address.
const hideMark = (realm) => {
  const prototype = realm.WorkerLocation && realm.WorkerLocation.prototype;
  const clean = (target, self, args) => apply(target, self, args).replace(MARK, '');
  wrapGetter(prototype, 'href', clean);
  wrapGetter(prototype, 'search', clean);
  wrap(prototype, 'toString', clean);
};
