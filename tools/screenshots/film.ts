import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { EVENING, NEW_PRODUCT, transactionOf } from '../demo/evening.js';
import type { Login, Terminal } from '../demo/terminal.js';
import { loaded, signIn } from './photographer.js';
import { animatedWebp, type Frame } from './webp.js';

/** The film of README: an order is parked, an alert is sent, a person sets the code of the product, and the order is delivered. */

const SIZE = { width: 390, height: 700 };
/** Of the device pixels of a picture to its own. */
const SCALE = 1.5;
const QUALITY = 72;
const PARKED = EVENING.find(({ expected }) => expected.state === 'DLQ');

/** @param path where the film is written */
export async function film(
  browser: Browser,
  url: string,
  login: Login,
  terminal: Terminal,
  path: string,
): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: SCALE,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const camera = await context.newCDPSession(page);
  const frames: Frame[] = [];
  /** Takes a picture with a line below it. @param seconds how long it is shown */
  const show = async (line: string, seconds: number) => {
    await page.evaluate(caption(line));
    const { data } = await camera.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    frames.push({ image: Buffer.from(data, 'base64'), ms: seconds * 1_000 });
    await page.evaluate(caption(''));
  };
  const here = `${url}/console/r/${terminal.restaurantId}`;
  await signIn(page, url, login);
  await page.goto(`${here}/tonight`);
  await loaded(page);
  await page.getByTestId('verdict').getByText(/^All/).waitFor();
  await show('Every order of tonight is in the POS.', 5);
  if (!PARKED) throw new Error('the evening has no order that is parked');
  const { transactionKey } = PARKED;
  await terminal.send(transactionOf(PARKED, new Date()), 'signed');
  await page.getByTestId('verdict').getByText('not in the POS').waitFor();
  await show('A terminal sells a product that the POS does not know.', 5);
  await page.goto(`${here}/alerts`);
  await page.getByText('1012').first().waitFor();
  await show('An alert is sent by push, mail, webhook or printer.', 4);
  await page.goto(`${here}/orders/${transactionKey}`);
  await loaded(page);
  await show('Why, and what helps.', 5);
  const code = page.getByRole('combobox').last();
  await code.scrollIntoViewIfNeeded();
  await code.focus();
  const option = page.getByRole('option', { name: new RegExp(`^${NEW_PRODUCT.posCode}`) });
  await option.waitFor();
  await show('The catalogue of the POS says what it is called there.', 5);
  await option.click();
  await show('One press: for this order and every later one.', 4);
  await page.getByRole('button', { name: 'Keep and send again' }).click();
  await page.locator('.step-good').last().scrollIntoViewIfNeeded();
  await show('It is sent. Each step has its time, and what the POS said.', 5);
  await page.goto(`${here}/tonight`);
  await loaded(page);
  await page.getByTestId('verdict').getByText(/^All/).waitFor();
  await show('Every order of tonight is in the POS.', 6);
  writeFileSync(path, animatedWebp(frames, SIZE.width * SCALE, SIZE.height * SCALE));
  await context.close();
}

/** A script that writes a line over the bottom of the page; an empty one removes it. */
function caption(line: string): string {
  return `(() => {
    document.querySelector('#caption')?.remove();
    if (!${JSON.stringify(line)}) return;
    const bar = Object.assign(document.createElement('p'), { id: 'caption', textContent: ${JSON.stringify(line)} });
    bar.style.cssText = 'position:fixed;inset:auto 0 0;z-index:9;margin:0;padding:1.1rem 1.25rem 1.25rem;background:#15181d;color:#fff;font-weight:600;text-align:center';
    document.body.append(bar);
  })()`;
}
