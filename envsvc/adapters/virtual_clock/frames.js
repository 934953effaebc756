// Documents that never cross the network. Those that this one can reach (about:blank, srcdoc, blob:
// frames, windows it opened) share its clock. The text of those that it cannot (data:, and srcdoc
// in a sandbox) is changed before it is loaded; here as far as scripts make such frames by their
// properties and attributes, by the server as far as they stand in the page.

const LEADING = /^(\s|<!-[-][^]*?-->|<!doctype[^>]*>)*/i;
const DATA_PAGE = /^\s*(data:text\/html[^,]*?)(;\s*base64\s*)?,([^#]*)/i;

const element = (text) => `<script>${text}<` + '/script>';

const withScript = (text, html) => html.replace(LEADING, (lead) => lead + element(text));

const changedPage = (text, url) => {
  const [, head, isCoded, body] = DATA_PAGE.exec(new URL(url).href);
  const plain = isCoded ? atob(decodeURIComponent(body)) : unescape(body);
  return `${head};base64,${btoa(withScript(text, plain))}`;
};

const changedFrame = (realm, state, name, given) => {
  const text = String(given);
  try {
    if (name === 'src') return DATA_PAGE.test(text) ? changedPage(state.text, text) : given;
    if (name !== 'srcdoc' || !state.text) return given;
    const isTrusted = realm.trustedTypes && realm.trustedTypes.isHTML(given);
    const changed = withScript(state.text, text);
    return isTrusted ? trusted(realm, state, 'createHTML', changed) : changed;
  } catch {
    return given;
  }
};

const wrapFrameTexts = (realm, state) => {
  const prototype = realm.HTMLIFrameElement.prototype;
  for (const name of ['src', 'srcdoc']) {
    wrapSetter(prototype, name, (target, self, args) =>
      apply(target, self, [changedFrame(realm, state, name, args[0])]));
  }
  wrapGetter(prototype, 'srcdoc', (target, self) =>
    apply(target, self, []).replace(element(state.text), ''));
  // On frames alone: other elements set many attributes.
  const setAttribute = wrapped(realm.Element.prototype.setAttribute, (target, self, args) => {
    if (args.length < 2) return apply(target, self, args);
    const [name, given] = args;
    return apply(target, self, [name, changedFrame(realm, state, String(name).toLowerCase(), given)]);
  });
  const property = { value: setAttribute, configurable: true, writable: true, enumerable: false };
  Object.defineProperty(prototype, 'setAttribute', property);
};

const adopt = (child, state) => {
  try {
    if (!child || state.seen.has(child.document)) return;
    const say = (word) => child.URL.revokeObjectURL(state.key, word) === state.key;
    if (!say('look')) {
      state.frames += 1;
      const seed = `${state.seed}/frame${state.frames}`;
      install(child, { ...state.settings, seed, modified: undefined }, state.clock);
    }
    state.seen.add(child.document);
  } catch {
    // Another origin's window: its own document brings its own clock.
  }
};

const followFrames = (realm, state) => () => {
  const { document } = realm;
  const look = () => {
    for (let i = 0; i < realm.length; i += 1) adopt(realm[i], state);
  };
  look();
  if (state.followed.has(document)) return;
  state.followed.add(document);
  new realm.MutationObserver(look).observe(document, { childList: true, subtree: true });
  document.addEventListener('load', look, true);
  followInput(document, state);
};

const wrapWindows = (realm, state) => {
  const shown = (window) => {
    adopt(window, state);
    return window;
  };
  for (const name of ['HTMLIFrameElement', 'HTMLFrameElement', 'HTMLObjectElement']) {
    const prototype = realm[name] && realm[name].prototype;
    const window = wrapGetter(prototype, 'contentWindow', (target, self) =>
      shown(apply(target, self, [])));
    wrapGetter(prototype, 'contentDocument', (target, self) => {
      shown(apply(window, self, []));
      return apply(target, self, []);
    });
  }
  wrap(realm, 'open', (target, self, args) => shown(apply(target, self, args)));
};
