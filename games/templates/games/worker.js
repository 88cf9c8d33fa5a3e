// Keeps the table for practice without a connection. Whatever can be asked for is asked for: a page comes from here only
// where the network gives none. The version changes with every file; an old one is thrown away.
const KEPT = "pyramidion-{{ version }}";
const PAGE = "{{ page }}";
const FILES = {{ files|safe }};

async function store() {
  const cache = await caches.open(KEPT);
  await cache.addAll([new Request(PAGE, { cache: "reload" }), ...FILES]);
  await self.skipWaiting();
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("pyramidion-") && name !== KEPT).map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable(); // the page is asked for while the worker wakes up
  await self.clients.claim();
}

async function openPage(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return caches.match(PAGE);
  }
}

const readFile = async (request) => (await caches.match(request)) ?? fetch(request);

self.addEventListener("install", (event) => event.waitUntil(store()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(openPage(event));
  else if (FILES.includes(new URL(request.url).pathname)) event.respondWith(readFile(request));
});
