import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Login } from '../demo/terminal.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

interface Picture {
  readonly name: string;
  readonly path: (restaurantId: string) => string;
  readonly width: number;
  readonly height: number;
  /** device pixel ratio */
  readonly scale: number;
  readonly colorScheme?: 'dark';
  readonly language?: 'pt-BR';
}

const PHONE = { width: 390, height: 844, scale: 2 };
const DESK = { width: 1280, height: 860, scale: 1 };

/** README shows the first two. */
const PICTURES: readonly Picture[] = [
  { name: 'tonight', path: (id) => `/r/${id}/tonight`, ...PHONE },
  { name: 'order', path: (id) => `/r/${id}/orders/SALE-1012`, ...DESK },
  { name: 'tonight-wide', path: (id) => `/r/${id}/tonight`, ...DESK },
  { name: 'takings', path: (id) => `/r/${id}/takings`, ...DESK },
  { name: 'setup', path: (id) => `/r/${id}/setup`, ...DESK },
  { name: 'operators', path: () => '/operators', ...DESK },
  { name: 'noite', path: (id) => `/r/${id}/tonight`, ...PHONE, colorScheme: 'dark', language: 'pt-BR' },
];

/** @throws when there is no Chromium */
export async function withBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

/** Takes each picture of the console. */
export async function photograph(browser: Browser, url: string, login: Login, restaurantId: string): Promise<void> {
  for (const picture of PICTURES) await take(browser, picture, url, login, restaurantId);
}

/** Signs in by the form of the console. */
export async function signIn(page: Page, url: string, { email, password }: Login): Promise<void> {
  await page.goto(`${url}/console/`);
  await page.locator('input[type="email"]').fill(email);
  await page.locator('input[type="password"]').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('input[type="password"]').waitFor({ state: 'detached' });
}

/** Waits until a page has all its data. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('main:not(:has(.loading))').waitFor();
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
}

async function take(
  browser: Browser,
  picture: Picture,
  url: string,
  login: Login,
  restaurantId: string,
): Promise<void> {
  const { name, path, width, height, scale, colorScheme = 'light', language = 'en-GB' } = picture;
  const context = await browser.newContext({
    ...{
      viewport: { width, height },
      deviceScaleFactor: scale,
      locale: language,
      colorScheme,
      reducedMotion: 'reduce',
    },
  });
  const page = await context.newPage();
  await signIn(page, url, login);
  await page.goto(`${url}/console${path(restaurantId)}`);
  await loaded(page);
  await page.screenshot({ path: `${IMAGES}${name}.png` });
  console.log(`docs/images/${name}.png`);
  await context.close();
}
