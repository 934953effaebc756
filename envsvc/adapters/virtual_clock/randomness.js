// Seeded random values. Math.random and crypto have a stream each: how often one is asked does
// not change what the other says.

const hash = (text, basis) => {
  let value = basis;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value;
};

// A small fast counting generator (sfc32): passes the usual batteries, needs no 64-bit numbers.
const stream = (seed) => {
  let a = hash(seed, -2128831035);
  let b = hash(seed, 0x243f6a88);
  let c = hash(seed, 0x13198a2e);
  let counter = 1;
  const next = () => {
    const value = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + value) | 0;
    return value >>> 0;
  };
  for (let i = 0; i < 15; i += 1) next();
  return next;
};

const fill = (bytes, next) => {
  for (let i = 0; i < bytes.length; i += 4) {
    const word = next();
    for (let j = i; j < i + 4 && j < bytes.length; j += 1) bytes[j] = word >>> (8 * (j - i));
  }
  return bytes;
};

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const wrapRandom = (realm, state) => {
  // 53 random bits: every value that a double between 0 and 1 can hold at this distance.
  wrap(realm.Math, 'random', () =>
    ((state.random() >>> 5) * 67108864 + (state.random() >>> 6)) / 9007199254740992);
  const prototype = realm.Crypto && realm.Crypto.prototype;
  const view = Object.getPrototypeOf(Uint8Array.prototype);
  const part = (name) => Object.getOwnPropertyDescriptor(view, name).get;
  const [buffer, offset, length] = [part('buffer'), part('byteOffset'), part('byteLength')];
  wrap(prototype, 'getRandomValues', (target, self, args) => {
    // The browser's own comes first: it refuses what must be refused.
    const filled = apply(target, self, args);
    const of = (get) => apply(get, filled, []);
    fill(new Uint8Array(of(buffer), of(offset), of(length)), state.bytes);
    return filled;
  });
  wrap(prototype, 'randomUUID', (target, self, args) => {
    apply(target, self, args);
    const bytes = fill(new Uint8Array(16), state.bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  });
};
