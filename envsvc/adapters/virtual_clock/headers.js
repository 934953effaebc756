// Date and Expires go out as of now, since the browser's cache and cookies live by the real clock.
// Scripts see them by ours: an answer is as old as its reading, and expires as much later as it
// did. What had expired long before is left as it is, here as by the server.

const DAY = 86400000;

const wrapAnswers = (realm, state) => {
  const Native = realm.Date;
  const answered = new WeakMap();
  const shown = (answer, name, value, sent) => {
    const [at, from] = [Native.parse(value), Native.parse(sent)];
    const isDate = value && sent && /^(date|expires)$/i.test(name);
    if (!isDate || Number.isNaN(at - from) || at < from - DAY) return value;
    const now = Math.floor((state.clock.origin + peek(state)) / 1000) * 1000;
    if (!answered.has(answer)) answered.set(answer, now);
    return new Native(answered.get(answer) + at - from).toUTCString();
  };

  const received = new WeakSet();
  const { Response, Headers, XMLHttpRequest } = realm;
  wrapGetter(Response && Response.prototype, 'headers', (target, self) => {
    const headers = apply(target, self, []);
    if (self.type !== 'default') received.add(headers);
    return headers;
  });
  wrap(Headers && Headers.prototype, 'get', (target, self, args) => {
    const value = apply(target, self, args);
    if (!received.has(self)) return value;
    return shown(self, String(args[0]), value, apply(target, self, ['date']));
  });

  const prototype = XMLHttpRequest && XMLHttpRequest.prototype;
  const all = prototype && prototype.getAllResponseHeaders;
  // Not by name: to ask for a header that is not exposed is an error on the console.
  const sent = (request) => (/^date: (.*?)\r?$/im.exec(apply(all, request, [])) || [])[1];
  wrap(prototype, 'getResponseHeader', (target, self, args) =>
    shown(self, String(args[0]), apply(target, self, args), sent(self)));
  wrap(prototype, 'getAllResponseHeaders', (target, self, args) =>
    apply(target, self, args).replace(/^(date|expires): (.*?)(?=\r?$)/gim, (line, name, value) =>
      `${name}: ${shown(self, name, value, sent(self))}`));
};
