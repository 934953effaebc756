// Reads every clock and every source of random values that a page has, in a fixed order.

const heard = [];
const hear = (count) => new Promise((resolve) => {
  addEventListener('message', (event) => {
    heard.push(event.data);
    if (heard.length === count) resolve(heard.sort());
  });
});

const early = [Date.now(), performance.now(), document.lastModified];

const answer = (worker) => new Promise((resolve, reject) => {
  const port = worker.port || worker;
  port.onmessage = (event) => resolve(event.data);
  worker.onerror = (event) => reject(new Error(`worker: ${event.message}`));
  if (!worker.port) worker.postMessage('read');
});

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const dates = () => [
  Date(), String(new Date()), Date.now(), new Date().getTime(), new Date().toISOString(),
  Reflect.construct(Date, []).getTime(), new (class extends Date {})().getTime(),
  new Date().toLocaleString(), new Date().toLocaleDateString(), new Date().toLocaleTimeString(),
];

const formats = () => {
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
  return [
    format.format(), format.format(undefined), [1].map(() => format.format())[0],
    format.formatToParts().map((part) => part.value).join(''),
    self.Temporal ? String(Temporal.Now.instant()) : '',
    self.Temporal ? String(Temporal.Now.plainDateTimeISO()) : '',
    self.Temporal ? String(Temporal.Now.zonedDateTimeISO('Asia/Tokyo')) : '',
    self.Temporal ? `${Temporal.Now.plainDateISO()} ${Temporal.Now.plainTimeISO()}` : '',
  ];
};

const measures = () => {
  performance.mark('one');
  performance.measure('to now', 'one');
  performance.measure('from start');
  performance.measure('options', { start: 'one', detail: 1 });
  performance.measure('loading', 'navigationStart', 'domInteractive');
  const made = performance.getEntries().filter((entry) => /mark|measure/.test(entry.entryType));
  return [
    made.map((entry) => entry.toJSON()), performance.now(), performance.timeOrigin,
    JSON.stringify(performance.timing), new Event('x').timeStamp,
    performance.getEntriesByType('navigation').map((entry) => [
      entry.startTime, entry.responseStart, entry.responseEnd, entry.domInteractive,
      entry.requestStart, entry.navigationId,
    ]),
  ];
};

const randoms = () => {
  const arrays = [
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array,
  ].map((Kind) => [Kind.name, Array.from(crypto.getRandomValues(new Kind(3)), String)]);
  return [Math.random(), Math.random(), arrays, crypto.randomUUID ? crypto.randomUUID() : ''];
};

const timers = async () => {
  const read = [performance.now()];
  await wait(40);
  read.push(performance.now());
  await new Promise((resolve) => {
    let left = 3;
    const timer = setInterval(() => {
      read.push(performance.now());
      left -= 1;
      if (!left) resolve(clearInterval(timer));
    }, 10);
  });
  read.push(await new Promise((resolve) => {
    requestAnimationFrame((time) => resolve([time, performance.now()]));
  }));
  read.push(await new Promise((resolve) => {
    requestIdleCallback((deadline) => resolve(deadline.timeRemaining()));
  }));
  return read;
};

const workers = async () => {
  const { code } = await (await fetch('/code.json')).json();
  const blob = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const ofBlob = new Worker(blob);
  const moduleOfBlob = new Worker(blob, { type: 'module' });
  const sharedOfBlob = new SharedWorker(blob);
  URL.revokeObjectURL(blob);
  return {
    classic: await answer(new Worker('/worker.js')),
    again: await answer(new Worker(new URL('/worker.js', location.href))),
    module: await answer(new Worker('/module.js', { type: 'module' })),
    shared: await answer(new SharedWorker('/worker.js')),
    sharedModule: await answer(new SharedWorker('/module.js', { type: 'module' })),
    blob: await answer(ofBlob),
    moduleOfBlob: await answer(moduleOfBlob),
    sharedOfBlob: await answer(sharedOfBlob),
    data: await answer(new Worker(`data:text/javascript,${encodeURIComponent(code)}`)),
    coded: await answer(new Worker(`data:text/javascript;base64,${btoa(code)}`)),
  };
};

const frames = async () => {
  const say = (name) =>
    `<!doctype html><script>parent.postMessage(["${name}",Date.now(),Math.random(),performance.now()],"*")</` + 'script>';
  const place = (attributes) => {
    const frame = document.createElement('iframe');
    for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
    document.body.append(frame);
    return frame.contentWindow;
  };
  const all = hear(7);
  const blank = place({});
  const read = ['blank', blank.Date.now(), blank.Math.random(), String(new blank.Date())];
  place({ srcdoc: say('srcdoc') });
  place({ srcdoc: say('sandbox'), sandbox: 'allow-scripts' });
  place({ src: `data:text/html,${encodeURIComponent(say('data'))}` });
  place({ src: `data:text/html;base64,${btoa(say('coded'))}` });
  place({ src: URL.createObjectURL(new Blob([say('blob')], { type: 'text/html' })) });
  place({ src: '/frame.html' });
  const inner = document.createElement('div');
  inner.innerHTML = `<iframe srcdoc='${say('inner')}'></iframe>`;
  document.body.append(inner);
  return [read, ...await all];
};

const probe = async () => ({
  early,
  dates: dates(),
  formats: formats(),
  measures: measures(),
  randoms: randoms(),
  timers: await timers(),
  file: new File([], 'x').lastModified,
  workers: await workers(),
  frames: await frames(),
});
