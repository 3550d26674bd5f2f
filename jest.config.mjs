import { availableParallelism } from 'node:os';

const shared = {
  // suites are native ES modules in Node processes of their own: the application is loaded once in each
  runner: '<rootDir>/test/runner/light-runner.mjs',
  setupFiles: ['<rootDir>/test/runner/worker.mjs'],
  testRegex: '\\.spec\\.ts$',
  transform: {},
};

/** Suites that need no database. */
const UNIT = [
  'test/domain/',
  'test/capabilities/[^/]+/rules/',
  'test/platform/config/',
  'test/platform/redaction/',
  'test/architecture',
  'test/documents',
  'test/rules',
];
/** Suites that need Chromium: `npm run test:browser`. */
const BROWSER = ['test/capabilities/console/browser/'];

/** Suites that kill processes, build, run servers of their own, or run long: `npm run test:hard`. */
const HARD = '\\.hard\\.spec\\.ts$';

const pathsOf = (folders) => folders.map((path) => `<rootDir>/${path}`);
const withDatabase = {
  ...shared,
  globalSetup: '<rootDir>/test/runner/setup.mjs',
  globalTeardown: '<rootDir>/test/runner/teardown.mjs',
};

/** @type {import('jest').Config} */
export default {
  // suites also wait: for answers, clocks and processes; a further process costs more than it gains
  maxWorkers: availableParallelism() + 1,
  // an embedded database of a suite keeps a timer of Postgres, which may begin again and again
  forceExit: true,
  reporters: ['default', '<rootDir>/test/runner/skipped-reporter.mjs', '<rootDir>/test/runner/stalled-reporter.mjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: ['<rootDir>/test'],
      testRegex: UNIT.map((path) => `/${path}.*\\.spec\\.ts$`),
    },
    {
      ...withDatabase,
      displayName: 'integration',
      roots: ['<rootDir>/test'],
      testPathIgnorePatterns: [...pathsOf([...UNIT, ...BROWSER]), HARD],
    },
    { ...withDatabase, displayName: 'hard', roots: ['<rootDir>/test'], testRegex: HARD },
    { ...withDatabase, displayName: 'browser', roots: pathsOf(BROWSER) },
  ],
};
