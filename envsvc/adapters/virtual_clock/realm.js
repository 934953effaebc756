// Replace what a realm (a window or a worker) offers, so that it looks and fails as before.
// A Proxy keeps name, length, own properties, prototype and errors of the browser's own.

const { apply, construct } = Reflect;
const textOf = Function.prototype.toString;
const source = apply(textOf, freeze, []);
const natives = new WeakMap();

const proxied = (target, traps) => {
  const shown = new Proxy(target, traps);
  natives.set(shown, target);
  return shown;
};

const replace = (holder, name, value) =>
  Object.defineProperty(holder, name, { ...Object.getOwnPropertyDescriptor(holder, name), value });

// The browser's own is passed first: wrapper(native, self, args).
const wrapped = (native, wrapper) => proxied(native, { apply: wrapper });

const wrap = (holder, name, wrapper) => {
  let owner = holder;
  while (owner && !Object.prototype.hasOwnProperty.call(owner, name)) {
    owner = Object.getPrototypeOf(owner);
  }
  if (owner && typeof owner[name] === 'function') replace(owner, name, wrapped(owner[name], wrapper));
};

const wrapAccessor = (holder, name, kind, wrapper) => {
  const property = holder && Object.getOwnPropertyDescriptor(holder, name);
  if (!property || !property[kind] || !property.configurable) return undefined;
  Object.defineProperty(holder, name, { ...property, [kind]: wrapped(property[kind], wrapper) });
  return property[kind];
};

const wrapGetter = (holder, name, wrapper) => wrapAccessor(holder, name, 'get', wrapper);

const wrapSetter = (holder, name, wrapper) => wrapAccessor(holder, name, 'set', wrapper);

const replaceClass = (realm, name, traps) => {
  const Native = realm[name];
  if (!Native) return;
  const Shown = proxied(Native, traps);
  replace(realm, name, Shown);
  replace(Native.prototype, 'constructor', Shown);
};

const wrapTexts = (realm) => {
  wrap(realm.Function.prototype, 'toString', (target, self, args) => {
    let native = self;
    while (natives.has(native)) native = natives.get(native);
    return apply(target, native, args);
  });
};

// Where a page demands trusted types we bring a policy of our own; the server has it allowed.
const trusted = (realm, state, make, text) => {
  if (!realm.trustedTypes) return text;
  if (!state.policy) {
    const same = (value) => value;
    const rules = { createHTML: same, createScriptURL: same };
    state.policy = realm.trustedTypes.createPolicy('worker-start', rules);
  }
  return state.policy[make](text);
};
