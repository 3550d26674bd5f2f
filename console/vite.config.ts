import { defineConfig } from 'vite';

/** The relay of `npm run dev`: the development server passes the console's calls on to it. */
const RELAY = 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../dist-console',
    emptyOutDir: true,
    // the content security policy allows no inline script, and no data: but images
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" means nothing without a server that draws
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
  server: {
    proxy: { '/console/api': { target: RELAY }, '/console/session': { target: RELAY } },
  },
});
