// One first load of the console in Chromium, over an emulated network, in a browser that has stored nothing but the session.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Without the service worker: the emulated network would not slow down what it asks for. */
const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  locale: 'en-GB',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
};
const LIMIT_MS = 60_000;

/** Each must be on Tonight before it counts as usable: the verdict, the button of a card, the takings, the orders. */
const USABLE = ['[data-testid=verdict]', '.need-acts button:enabled', '.total-amount', '.order-list > li'];

/** Runs in the page: `usableAt` becomes the time of the frame that shows all of {@link USABLE}, in ms since the navigation began. */
const WATCH = `{
  const isUsable = () => ${JSON.stringify(USABLE)}.every((part) => document.querySelector(part)) && !document.querySelector('main .loading');
  const watch = new MutationObserver(() => {
    if (!isUsable()) return;
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame((at) => { window.usableAt = at; }));
  });
  watch.observe(document, { childList: true, subtree: true, attributes: true });
}`;

/**
 * Runs in the page: what Chromium has noted of the load, as Lighthouse names it. The largest contentful paint, in ms; how far the page has shifted, without
 * unit; and by how much tasks were longer than 50 ms, together, in ms.
 */
const NOTED = `(() => {
  const noted = (type) => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type, buffered: true });
    return observer.takeRecords();
  };
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return {
    paintMs: performance.getEntriesByType('paint').find(({ name }) => name === 'first-paint').startTime,
    largestMs: noted('largest-contentful-paint').at(-1)?.startTime ?? 0,
    shift: sum(noted('layout-shift').map(({ value, hadRecentInput }) => (hadRecentInput ? 0 : value))),
    blockedMs: sum(noted('longtask').map(({ duration }) => duration - 50)),
  };
})()`;

/** @throws when there is no Chromium */
export function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
  if (!executablePath) throw new Error('needs Chromium: CHROMIUM=/path/to/it');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/**
 * Opens Tonight once, in a new context that is signed in.
 * @param network `latencyMs`, and `bytesPerSecond` in each direction
 * @returns `usableMs` since the navigation began, and what is {@link NOTED}; `bytes` as transferred until usable, with the headers of the answers;
 *   `requests`: name, start and end in ms; `againMs`: when the page is usable that is opened once more, with what the browser has kept
 */
export async function firstLoad(browser, { url, account, restaurantId }, { latencyMs, bytesPerSecond }) {
  const context = await browser.newContext(PHONE);
  try {
    const signedIn = await context.request.post(`${url}/console/session`, {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      data: account,
    });
    if (!signedIn.ok()) throw new Error(`the sign-in answers ${signedIn.status()}`);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    const requests = watchRequests(network);
    await page.goto(`${url}/console/r/${restaurantId}/tonight`, { waitUntil: 'commit' });
    const usableMs = await usableAt(page, requests);
    const noted = await page.evaluate(NOTED);
    const list = [...requests.values()];
    const done = list.filter(({ end }) => end !== undefined && end <= usableMs);
    const bytes = done.reduce((sum, { bytes }) => sum + bytes, 0);
    await page.goto('about:blank');
    await page.goto(`${url}/console/r/${restaurantId}/tonight`, { waitUntil: 'commit' });
    return { ...noted, usableMs, bytes, requests: list, againMs: await usableAt(page, requests) };
  } finally {
    await context.close();
  }
}

/** Not waitForFunction: the policy of the page forbids it. */
async function usableAt(page, requests) {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await page.waitForTimeout(50)) {
    const at = await page.evaluate('window.usableAt');
    if (at !== undefined) return at;
  }
  const open = [...requests.values()].filter(({ end }) => end === undefined).map(({ name }) => name);
  throw new Error(
    `${page.url()} is not usable after ${LIMIT_MS / 1_000} s; without an answer: ${open.join(', ') || 'nothing'}`,
  );
}

/** @returns the page's requests by id: `name`, `start` and `end` in ms since the first, `bytes` of the answer */
function watchRequests(network) {
  const requests = new Map();
  let first;
  const since = (seconds) => Math.round((seconds - first) * 1_000);
  network.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    first ??= timestamp;
    const { pathname, search } = new URL(request.url);
    requests.set(requestId, { name: pathname + search, start: since(timestamp), bytes: 0 });
  });
  const finish = (requestId, timestamp, bytes) => {
    const request = requests.get(requestId);
    if (request) Object.assign(request, { end: since(timestamp), bytes });
  };
  network.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) =>
    finish(requestId, timestamp, encodedDataLength),
  );
  network.on('Network.loadingFailed', ({ requestId, timestamp }) => finish(requestId, timestamp, 0));
  return requests;
}
