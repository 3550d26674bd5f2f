// Lets Node run TypeScript sources as they are, for tools, proof and tests: `node --import ./tools/typescript.mjs FILE.ts`.
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformSync } from '@swc/core';

const OPTIONS = {
  swcrc: false,
  configFile: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

// before Node 22.15 hooks run in their own thread, which loads this file too
if (isMainThread && module.registerHooks) module.registerHooks({ resolve, load });
else if (isMainThread) module.register(import.meta.url);

const isTypeScript = (url) => url !== undefined && new URL(url).pathname.endsWith('.ts');

/** Resolves `./x.js` in a TypeScript file to `./x.ts`, as the compiler does. */
export function resolve(specifier, context, next) {
  if (!/^\..*\.js$/.test(specifier) || !isTypeScript(context.parentURL)) return next(specifier, context);
  const { href } = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
  return { url: href, format: 'module', shortCircuit: true };
}

export function load(url, context, next) {
  if (!isTypeScript(url)) return next(url, context);
  return { source: translate(fileURLToPath(url)), format: 'module', shortCircuit: true };
}

/** @returns the JavaScript of a TypeScript file */
export function translate(filename) {
  return transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename }).code;
}
