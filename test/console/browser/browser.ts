import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The shell is the browser without windows, and a third faster; both are Debian's, of one source. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env.CHROMIUM ?? BROWSERS.find(existsSync);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What a sale on the page may need to be drawn, on a machine that is busy with other suites. */
const PATIENCE_MS = 30_000;

const isThere = CHROMIUM !== undefined && existsSync(CHROMIUM);
/** For what only a browser can show: the reason stands in the test's name. */
export const describeInBrowser = isThere ? describe : describe.skip;
export const NEEDS_BROWSER = isThere ? '' : ' [skipped: needs Chromium]';

/** The console as `npm run build` makes it, built where it is stale. @returns its folder */
export function builtConsole(): string {
  execFileSync(process.execPath, ['tools/build.mjs', 'console'], { cwd: ROOT, stdio: 'inherit' });
  return fileURLToPath(new URL('../../../dist-console/', import.meta.url));
}

/** Chromium without a window, which resolves no name: what is asked of another machine fails, and is told. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/** How somebody looks at the console. */
export interface Look {
  readonly width: number;
  readonly height?: number;
  /** the browser's first language */
  readonly language: 'en-US' | 'pt-BR';
  readonly colorScheme?: 'light' | 'dark';
}

/** One axe finding, in a line. */
interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Somebody's window on the console, and all that is wrong with what happens in it. */
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
      // never the restaurant's: whatever is shown in it is wrong
      timezoneId: 'Asia/Tokyo',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const opened = new Window(page, context, url);
    await opened.listen();
    return opened;
  }

  /** Goes to an address of the page's own, such as `/r/:id/tonight`, and waits until it stands. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
    await this.settled();
  }

  /** Until the heading is there and nothing says that it is being loaded. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    // not waitForFunction: the page's policy lets nobody evaluate texts in it
    await this.page.locator('main:not(:has(.loading))').waitFor();
  }

  async signIn({ email, password }: { readonly email: string; readonly password: string }): Promise<void> {
    await this.goTo('/');
    await this.page.locator('input[type="email"]').fill(email);
    await this.page.locator('input[type="password"]').fill(password);
    await this.page.keyboard.press('Enter');
    await this.page.locator('input[type="password"]').waitFor({ state: 'detached' });
    await this.settled();
  }

  /** As if they had signed in before, in this browser: what a sign-in is, other tests show. */
  async enter({ email, password }: { readonly email: string; readonly password: string }): Promise<void> {
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const answer = await this.context.request.post(`${this.url}/console/session`, {
      headers,
      data: { email, password },
    });
    if (!answer.ok()) throw new Error(`the sign-in answers ${answer.status()}`);
  }

  /** What axe finds on the page as it stands. @returns a line for each finding */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(AXE);
    const violations = (await this.page.evaluate(
      `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
    )) as Finding[];
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`),
    );
  }

  /** By how many pixels the page is wider than its window. */
  async overflow(): Promise<number> {
    return (await this.page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  }

  /** Errors of the console and of scripts, reports of the policy, and calls of other machines, so far; each is told once. */
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
      // the first question of the page: is somebody signed in? The browser tells a refusal as an error
      if (url.endsWith('/console/session') && message.text().includes('401')) return;
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()} ${url}`);
    });
    page.on('request', (request) => {
      const asked = request.url();
      if (!asked.startsWith(`${this.url}/`) && !asked.startsWith('data:')) complaints.push(`asks ${asked}`);
    });
  }
}
