// Jest's environment. The application runs outside the tests' realm, as built: loaded and compiled once for all suites of
// a worker. Loading it into every suite anew took more time than the suites.
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadApplication = () => import('./application.mjs');
  }
}
