"use strict";

const show = (id, text) => { document.getElementById(id).textContent = text; };

const append = (id, text) => {
  const item = document.createElement("li");
  item.textContent = text;
  document.getElementById(id).append(item);
};

const json = async (path, options) => (await fetch(path, options)).json();

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function catalogue() {
  const products = await json("/api/products");
  show("count", `${products.length} products, from ${products[0].name} on`);
}

async function product() {
  const id = document.body.dataset.product;
  document.getElementById("quote").addEventListener("click", () => quote(id));
  document.getElementById("wish").addEventListener("click", () => wish(id, "PUT"));
  document.getElementById("unwish").addEventListener("click", () => wish(id, "DELETE"));
  const { stock } = await json(`/api/products/${id}/stock`);
  show("warehouse", `Warehouse count: ${stock}`);
}

async function quote(id) {
  const body = JSON.stringify({ product: id, quantity: Number(document.getElementById("quantity").value) });
  const headers = { "Content-Type": "application/json" };
  const answer = await json("/api/quote", { method: "POST", headers, body });
  show("quoted", `Quote: ${answer.quantity} for ${answer.total}`);
}

async function wish(id, method) {
  const { products } = await json(`/api/wishlist/${id}`, { method });
  show("wished", `Wishlist: ${products.join(", ") || "empty"}`);
}

async function exporting() {
  const { id } = await json("/jobs", { method: "POST" });
  let job = { state: "running" };
  while (job.state === "running") {
    show("job", "Export is running");
    await pause(100);
    job = await json(`/jobs/${id}`);
  }
  show("job", `Export is done, ${job.rows} rows`);
}

function prices() {
  const source = new EventSource("/prices/stream");
  source.addEventListener("price", (event) => {
    const news = JSON.parse(event.data);
    append("news", `${news.product} is now ${news.price}`);
  });
  source.addEventListener("done", (event) => {
    // Without this the browser would connect again.
    source.close();
    show("state", `All ${event.data} prices are here`);
  });
}

function chat() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}/chat/ws`);
  socket.addEventListener("message", (event) => append("talk", `Shop: ${event.data}`));
  document.getElementById("say").addEventListener("submit", (event) => {
    event.preventDefault();
    const input = document.getElementById("message");
    append("talk", `You: ${input.value}`);
    socket.send(input.value);
    input.value = "";
  });
}

async function manual() {
  const part = async (range) => {
    const response = await fetch("/files/manual.bin", { headers: { Range: `bytes=${range}` } });
    return { status: response.status, length: (await response.arrayBuffer()).byteLength };
  };
  const first = await part("0-999");
  const last = await part("-500");
  show("parts", `First part ${first.length} bytes (${first.status}), last part ${last.length} bytes (${last.status})`);
}

const PAGES = { catalogue, product, export: exporting, prices, chat, manual };

function report() {
  const body = JSON.stringify({ page: location.pathname, at: Date.now() });
  navigator.sendBeacon(`${location.protocol}//telemetry.shop-metrics.test/collect`, body);
}

report();
PAGES[window.shopPage]?.();
