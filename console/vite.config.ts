import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

/** The relay of `npm run dev`: the development server passes the console's calls on to it. */
const RELAY = 'http://127.0.0.1:3000';

const BASE = '/console/';
const source = (name: string) => fileURLToPath(new URL(`src/${name}`, import.meta.url));
const [FIRST, MAIN, TONIGHT] = ['first-requests.ts', 'main.tsx', 'pages/tonight/tonight.tsx'].map(source) as [
  string,
  string,
  string,
];

/**
 * The files of the first load: its requests, the frame, and the page Tonight. Each is one file: a browser that loads dozens of small ones waits for most
 * of them.
 * @returns the file of a module; null: the bundler decides
 */
function fileOf(id: string, modules: Rolldown.ChunkingContext): string | null {
  if (importedBy(FIRST, modules).has(id)) return 'first';
  if (importedBy(MAIN, modules).has(id)) return 'index';
  return importedBy(TONIGHT, modules).has(id) ? 'tonight' : null;
}

const known = new Map<string, Set<string>>();

/** The modules that a module needs before it runs, itself included. */
function importedBy(entry: string, modules: Rolldown.ChunkingContext): Set<string> {
  const found = known.get(entry) ?? new Set([entry]);
  if (!known.has(entry))
    for (const id of found) for (const each of modules.getModuleInfo(id)?.importedIds ?? []) found.add(each);
  known.set(entry, found);
  return found;
}

/** In index.html `first-requests.ts` is a script that waits for no other, and learns the names of Tonight's files, which it loads. */
const firstRequests: Plugin = {
  name: 'first-requests',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = Object.values(bundle).filter((file) => file.type === 'chunk');
      const [first, tonight] = [FIRST, TONIGHT].map((id) => files.find(({ moduleIds }) => moduleIds.includes(id)));
      if (!first || !tonight) throw new Error('the first requests and Tonight must be files of their own');
      const names = [tonight.fileName, ...(tonight.viteMetadata?.importedCss ?? [])].map((name) => BASE + name);
      const script = { type: 'module', async: true, crossorigin: true, src: BASE + first.fileName };
      return {
        // the tag by which it is loaded as a part of the page
        html: html.replace(new RegExp(`\\s*<(script|link)[^>]*${first.fileName}"[^>]*>(</script>)?`), ''),
        tags: [
          { tag: 'script', attrs: script, injectTo: 'head' },
          { tag: 'meta', attrs: { name: 'tonight', content: names.join(' ') }, injectTo: 'head' },
        ],
      };
    },
  },
};

/** The letters of both languages, with figures and signs; what else people name something with comes in a font of the device. */
const LETTERS = `${between(0x20, 0x7e)}${between(0xa0, 0xff)}ŒœŠšŽž–—‘’“”„…•·×−→←↑↓≥≤€`;
/** The two weights of the console, and what is between them. */
const WEIGHTS = { wght: { min: 400, max: 600 } };
const FONT = fileURLToPath(new URL('../node_modules/.cache/console/geist.woff2', import.meta.url));

/** The font of the console: a part of a package's. A third of its bytes is enough. */
const font: Plugin = {
  name: 'font',
  async config() {
    const { resolve } = createRequire(import.meta.url);
    const whole = readFileSync(resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'));
    mkdirSync(new URL('.', `file://${FONT}`), { recursive: true });
    writeFileSync(FONT, await subsetFont(whole, LETTERS, { targetFormat: 'woff2', variationAxes: WEIGHTS }));
  },
  generateBundle() {
    const { resolve } = createRequire(import.meta.url);
    const source = readFileSync(resolve('@fontsource-variable/geist/LICENSE'));
    this.emitFile({ type: 'asset', fileName: 'geist-license.txt', source });
  },
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => name.endsWith('.woff2'));
      // the first paint does not wait for it
      const attrs = {
        rel: 'preload',
        as: 'font',
        type: 'font/woff2',
        crossorigin: true,
        fetchpriority: 'low',
        href: `${BASE}${file}`,
      };
      return file ? [{ tag: 'link', attrs, injectTo: 'head' }] : [];
    },
  },
};

function between(first: number, last: number): string {
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, n) => first + n));
}

/** Preact stands in for React, in a sixth of its size. */
const PREACT = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
};

/** `--mode sheet` builds the sheet of parts in place of the console. */
export default defineConfig(({ mode }) => ({
  base: mode === 'sheet' ? './' : BASE,
  plugins: mode === 'sheet' ? [font] : [firstRequests, font],
  resolve: { alias: { ...PREACT, '/geist.woff2': FONT } },
  build: {
    outDir: '../dist-console',
    emptyOutDir: true,
    // the content security policy allows no inline script, and no data: but images
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      ...(mode === 'sheet' && { input: fileURLToPath(new URL('sheet/index.html', import.meta.url)) }),
      // "use client" means nothing without a server that draws
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
      output: mode === 'sheet' ? {} : { codeSplitting: { groups: [{ name: fileOf, debugName: 'first load' }] } },
    },
  },
  server: {
    proxy: { '/console/api': { target: RELAY }, '/console/session': { target: RELAY } },
  },
}));
