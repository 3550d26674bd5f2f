import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

const INDEX = '<!doctype html><title>Console</title><script type="module" src="/console/assets/app-1a2b.js"></script>';
const SCRIPT = 'document.title = "Tonight";\n'.repeat(100);
const SECRET = 'not for clients';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A built console, beside a file that is not part of it. */
function built(): string {
  const above = mkdtempSync(join(process.env.RELAY_TEST_FOLDER as string, 'c-'));
  const folder = join(above, 'dist-console');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    '../secret.txt': SECRET,
    'index.html': INDEX,
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/app-1a2b.js': SCRIPT,
    'assets/app-1a2b.js.gz': gzipSync(SCRIPT),
    'assets/app-1a2b.js.map': '{}',
    'assets/app-1a2b.css': 'body {}',
    '.built-from': 'a hash',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('the files of the console', () => {
  let scenario: Scenario;
  let relay: TestRelay;
  let folder: string;

  beforeAll(async () => {
    folder = built();
    scenario = await Scenario.open({}, { consoleFolder: folder });
    relay = scenario.relay;
  });
  afterAll(() => scenario.close());

  /** Sends the path unchanged: supertest would normalize it. */
  async function raw(path: string, method = 'GET') {
    const { hostname, port } = new URL(relay.url);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, path, method }, resolve).once('error', reject).end();
    });
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  test('GET / and /console redirect to the page, without a sign-in (N6)', async () => {
    await relay.http.get('/').redirects(0).expect(302).expect('Location', '/console/');
    await relay.http.get('/console').redirects(0).expect(302).expect('Location', '/console/');
    const { text: page, headers } = await relay.http
      .get('/console/')
      .expect(200)
      .expect('Content-Type', /^text\/html/);
    expect(page).toBe(INDEX);
    expect(headers['cache-control']).toBe('no-cache');
  });

  test.each([
    '/console/',
    '/console/?from=mail',
    '/console/r/5f8e/tonight',
    '/console/r/5f8e/orders/T%2F1',
    '/console/r/5f8e/orders/2026.11.21.js',
    '/console/operators/audit',
    '/console/account/',
  ])('%s is an address of the page (N6)', async (path) => {
    expect(await raw(path)).toMatchObject({ status: 200, text: INDEX, headers: { 'cache-control': 'no-cache' } });
  });

  test('files with a hash in their name are cached for a year, others are revalidated', async () => {
    const script = await relay.http.get('/console/assets/app-1a2b.js').expect(200);
    expect(script.headers).toMatchObject({
      'content-type': expect.stringMatching(/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const icon = await relay.http.get('/console/favicon.svg').expect(200);
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    await relay.http
      .get('/console/favicon.svg')
      .set('If-None-Match', icon.headers.etag as string)
      .expect(304);
  });

  test('a client that accepts it gets the compressed file', async () => {
    const { headers } = await relay.http
      .get('/console/assets/app-1a2b.js')
      .set('Accept-Encoding', 'br, gzip')
      .expect(200);
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': expect.stringMatching(/javascript/),
      vary: expect.stringMatching(/accept-encoding/i),
    });
    const plain = await relay.http.get('/console/assets/app-1a2b.js').set('Accept-Encoding', 'identity').expect(200);
    expect(plain.headers).not.toHaveProperty('content-encoding');
  });

  test('every file has the Content-Security-Policy: nothing inline, no other origin, no frame (N7)', async () => {
    for (const path of ['/console/', '/console/r/1/tonight', '/console/assets/app-1a2b.js', '/console/favicon.svg']) {
      const { headers } = await relay.http.get(path).expect(200);
      expect(headers).toMatchObject({ 'content-security-policy': POLICY, 'x-frame-options': 'DENY' });
    }
  });

  test.each([
    '/console/assets/other-1a2b.js',
    '/console/assets/',
    '/console/assets/app-1a2b.js.map',
    '/console/assets/app-1a2b.js.gz',
    '/console/assets/.hidden',
    '/console/assets/deep/app-1a2b.js',
    '/console/nothing.txt',
    '/console/.built-from',
    '/console/api',
    '/console/api/restaurants',
    '/console/session/other',
    '/console/../secret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..%2fsecret.txt',
    '/console/assets/../../secret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/..%5c..%5csecret.txt',
    '/console/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/console/r/../../secret.txt',
    '/console//etc/passwd.txt/..',
    '/console/assets/app-1a2b.js%00.css',
  ])('%s is neither a file nor an address of the page: refused with an error body that is not cached', async (path) => {
    const { status, text: body, headers } = await raw(path);
    expect(body).not.toContain(SECRET);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('no-store');
    // below /console/api: 403 without Sec-Fetch-Site
    expect([400, 403, 404]).toContain(status);
    expect(JSON.parse(body)).toMatchObject({ statusCode: status, requestId: expect.any(String) });
  });

  test('HEAD answers as GET, without the body', async () => {
    for (const path of ['/console/', '/console/assets/app-1a2b.js']) {
      const { status, text: body, headers } = await raw(path, 'HEAD');
      expect({ status, body }).toEqual({ status: 200, body: '' });
      expect(headers['content-security-policy']).toBe(POLICY);
    }
  });

  test('another method: 405 at the page, 404 at files', async () => {
    expect(await raw('/console/', 'POST')).toMatchObject({
      status: 405,
      headers: { allow: expect.stringContaining('GET') },
    });
    expect(await raw('/console/assets/app-1a2b.js', 'DELETE')).toMatchObject({ status: 404 });
  });

  test('CONSOLE=false, or no built console: no files, and / redirects to the documentation (N1)', async () => {
    for (const [changes, where] of [
      [{ CONSOLE: 'false' }, folder],
      [{}, join(folder, 'nowhere')],
    ] as const) {
      const headless = await scenario.start(changes, where);
      await headless.http.get('/').redirects(0).expect(302).expect('Location', '/docs');
      for (const path of ['/console/', '/console/assets/app-1a2b.js']) await headless.http.get(path).expect(404);
      await headless.close();
    }
  });
});
