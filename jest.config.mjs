// CommonJS packages that require() an ESM-only package: Jest cannot do require(esm) on Node 20, so transpile those.
const ESM_REQUIRED_FROM_CJS = ['content-disposition', 'cookie'];

const swc = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  roots: ['<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  testTimeout: 60_000,
  // the suites wait for databases and processes more than they compute
  maxWorkers: '100%',
  globalSetup: '<rootDir>/test/support/setup.mjs',
  globalTeardown: '<rootDir>/test/support/teardown.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    '^.+/node_modules/.+\\.js$': ['@swc/jest', { ...swc, jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_REQUIRED_FROM_CJS.join('|')})/)`],
};
