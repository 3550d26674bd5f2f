import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';

/** The headless shell is a third faster; both are Debian packages. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
export const CHROMIUM = process.env.CHROMIUM ?? BROWSERS.find(existsSync);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The time limit of a wait in a page; the machine may be busy. */
const PATIENCE_MS = 30_000;

const isThere = CHROMIUM !== undefined && existsSync(CHROMIUM);
/** `describe` for suites that need a browser; the name says why they are skipped. */
export const describeInBrowser = isThere ? describe : describe.skip;
export const NEEDS_BROWSER = isThere ? '' : ' [skipped: needs Chromium]';

/** The headless shell shows no notifications. */
export const FULL_CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const showsNotifications = existsSync(FULL_CHROMIUM);
export const describeWithNotifications = showsNotifications ? describe : describe.skip;
export const NEEDS_NOTIFICATIONS = showsNotifications ? '' : ' [skipped: needs Chromium, not its headless shell]';

/** The console as `npm run build` makes it, built where it is stale. @returns its folder */
export function builtConsole(): string {
  execFileSync(process.execPath, ['tools/build.mjs', 'console'], { cwd: ROOT, stdio: 'inherit' });
  return join(ROOT, 'dist-console/');
}

/** The size, language and colours of a window. */
export interface Look {
  readonly width: number;
  readonly height?: number;
  /** the browser's first language */
  readonly language: 'en-US' | 'pt-BR';
  readonly colorScheme?: 'light' | 'dark';
}

/** A violation that axe reports. */
interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The credentials of a user. */
interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The result of {@link Window.sound} for a page without faults. */
export const SOUND = { wrong: [], barriers: [], overflow: 0 };

/**
 * Holds back the requests of a page to these addresses.
 * @param answer what becomes of each afterwards
 * @returns what lets them go on
 */
export async function holdBack(
  page: Page,
  addresses: string,
  answer = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(addresses, async (route) => {
    await held;
    await answer(route);
  });
  return goOn;
}

/** An answer by which the relay refuses a request. */
export const refused =
  (status: number, code: string) =>
  (route: Route): Promise<void> =>
    route.fulfill({ status, json: { statusCode: status, code, message: 'refused' } });

/** Opens a window, signed in as `who`, at a path of the page. */
type Open = (look: Look, who?: Credentials, path?: string) => Promise<Window>;

/**
 * A browser for a suite. After each test its windows are closed, and fail the test if they reported an error other than an answer 4xx.
 * @param url of the relay, once the suite's scenario is open
 * @param executablePath see {@link FULL_CHROMIUM}
 */
export function browserOf(url: () => string, executablePath = CHROMIUM): Open {
  let browser: Browser;
  const opened: Window[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      // no name resolution: a request to another host fails and is reported
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
  });
  afterEach(async () => {
    const wrong: string[] = [];
    for (const window of opened.splice(0)) {
      wrong.push(...window.wrong());
      await window.close();
    }
    expect(wrong.filter((complaint) => !/status of 4\d\d \(/.test(complaint))).toEqual([]);
  });
  afterAll(() => browser?.close());
  return async (look, who, path) => {
    const window = await Window.open(browser, url(), look);
    opened.push(window);
    if (who) await window.enter(who);
    if (path) await window.goTo(path);
    return window;
  };
}

/** @returns a line for each accessibility violation that axe finds on a page */
export async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as AxeViolation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`),
  );
}

/** A window of the console, with the errors that it reports. */
export class Window {
  private readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly url: string,
  ) {}

  /** @param url of the relay */
  static async open(
    browser: Browser,
    url: string,
    { width, height = 900, language, colorScheme }: Look,
  ): Promise<Window> {
    const context = await browser.newContext({
      viewport: { width, height },
      locale: language,
      colorScheme,
      // never the zone of the restaurant: a time in this zone is an error
      timezoneId: 'Asia/Tokyo',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const opened = new Window(page, context, url);
    await opened.listen();
    return opened;
  }

  /** Goes to a path of the page, such as `/r/:id/tonight`, and waits until it is loaded. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
    await this.settled();
  }

  /** Waits until the heading is there and nothing is loading. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    // not waitForFunction: the Content-Security-Policy of the page forbids it
    await this.page.locator('main:not(:has(.loading))').waitFor();
  }

  async signIn({ email, password }: Credentials): Promise<void> {
    await this.goTo('/');
    await this.page.locator('input[type="email"]').fill(email);
    await this.page.locator('input[type="password"]').fill(password);
    await this.page.keyboard.press('Enter');
    await this.page.locator('input[type="password"]').waitFor({ state: 'detached' });
    await this.settled();
  }

  /** Signs in by a request, without the form. */
  async enter({ email, password }: Credentials): Promise<void> {
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const answer = await this.context.request.post(`${this.url}/console/session`, {
      headers,
      data: { email, password },
    });
    if (!answer.ok()) throw new Error(`the sign-in answers ${answer.status()}`);
  }

  /** @returns a line for each accessibility violation that axe finds on the page */
  async barriers(): Promise<string[]> {
    return barriersOf(this.page);
  }

  /** By how many pixels the page is wider than its window. */
  async overflow(): Promise<number> {
    return (await this.page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  }

  /** @param status of an expected error answer */
  async sound(status?: number): Promise<typeof SOUND> {
    const wrong = this.wrong().filter((complaint) => !complaint.includes(`status of ${status}`));
    return { wrong, barriers: await this.barriers(), overflow: await this.overflow() } as typeof SOUND;
  }

  /** Console and script errors, policy violations and requests to other hosts since the last call. */
  wrong(): string[] {
    return this.complaints.splice(0);
  }

  close(): Promise<void> {
    return this.context.close();
  }

  private async listen(): Promise<void> {
    const { page, complaints } = this;
    await page.exposeFunction('reportPolicy', (text: string) => complaints.push(`policy: ${text}`));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (e) => reportPolicy(e.violatedDirective + ' ' + e.blockedURI))`,
    );
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on('pageerror', (error) => complaints.push(`script: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      const { url } = message.location();
      // the page's first request asks for the session; the browser reports a 401 as an error
      if (url.endsWith('/console/session') && message.text().includes('401')) return;
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()} ${url}`);
    });
    page.on('request', (request) => {
      const asked = request.url();
      if (!asked.startsWith(`${this.url}/`) && !asked.startsWith('data:')) complaints.push(`asks ${asked}`);
    });
  }
}
