import type { Config } from '../../platform/config/config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import {
  onboardingCheck,
  personsCheck,
  senderCheck,
  senderKeysCheck,
  signInCheck,
  throttleCheck,
} from './access.checks.js';
import { mailCheck, platformWebhookCheck, pushCheck, recipientsCheck } from './alerts.checks.js';
import { catalogueCheck } from './catalogue.check.js';
import type { Check, Result } from './check.js';
import type { Connection } from './connection.js';
import { clockCheck, diskCheck, keysCheck, migrationsCheck, upkeepCheck, versionCheck } from './database.checks.js';
import { daysCheck } from './days.check.js';
import { productsCheck } from './products.check.js';
import { refusingCheck } from './refusing.check.js';
import { settingsCheck } from './settings.check.js';
import { workersCheck } from './workers.check.js';

/** What a check of the deployment may read. */
export interface Deployment<Database = Connection | 'new'> {
  /** `new`: the first start has not created it yet */
  readonly database: Database;
  readonly config: Config;
  readonly box: SecretBox;
  /** this machine's clock, epoch ms */
  readonly now: () => number;
}

interface NamedCheck<Needs> {
  readonly name: string;
  /** absent: always */
  readonly when?: (config: Config) => boolean;
  readonly run: (deployment: Needs) => Result | Promise<Result | readonly Check[]>;
}

/** A check, by what it needs. */
export type DeploymentCheck =
  | ({ readonly needs: 'an open database' } & NamedCheck<Deployment<Connection>>)
  | ({ readonly needs: 'no lost database' } & NamedCheck<Deployment>)
  | ({ readonly needs: 'the configuration' } & NamedCheck<Pick<Deployment, 'config'>>);

/** Whether CAPABILITIES has one of these (S43). */
const loaded =
  (...names: readonly string[]) =>
  ({ capabilities }: Config) =>
    capabilities === 'all' || names.some((name) => capabilities.includes(name));
const sendsMessages = loaded('alerts', 'channels', 'days');

/** The checks of a deployment but those of the POS and of the restaurants, in the order of the report. A new one is a line here. */
export const DEPLOYMENT_CHECKS: readonly DeploymentCheck[] = [
  { needs: 'an open database', name: 'database', run: ({ database }) => versionCheck(database) },
  { needs: 'an open database', name: 'database settings', run: ({ database }) => settingsCheck(database) },
  { needs: 'an open database', name: 'migrations', run: ({ database }) => migrationsCheck(database) },
  { needs: 'an open database', name: 'SECRETS_KEY', run: ({ database, box }) => keysCheck(database, box) },
  { needs: 'an open database', name: 'clock', run: ({ database, now }) => clockCheck(database, now) },
  {
    needs: 'an open database',
    name: 'autovacuum',
    when: ({ databaseUrl }) => databaseUrl !== undefined,
    run: ({ database }) => upkeepCheck(database),
  },
  {
    needs: 'an open database',
    name: 'disk',
    when: ({ databaseUrl }) => databaseUrl === undefined,
    run: ({ config }) => diskCheck(config.dataDir),
  },
  { needs: 'no lost database', name: 'sign-in', run: ({ database, config }) => signInCheck(database, config) },
  { needs: 'no lost database', name: 'terminals', run: ({ database, config }) => senderCheck(database, config) },
  { needs: 'no lost database', name: 'sender keys', run: ({ database }) => senderKeysCheck(database) },
  { needs: 'no lost database', name: 'sales by persons', run: ({ database }) => personsCheck(database) },
  {
    needs: 'an open database',
    name: 'POS that accepts nothing',
    run: ({ database, config }) => refusingCheck(database, config.outbox),
  },
  {
    needs: 'an open database',
    name: 'workers',
    run: ({ database, config }) => workersCheck(database, config.outbox),
  },
  { needs: 'an open database', name: 'unknown products', run: ({ database }) => productsCheck(database) },
  { needs: 'an open database', name: 'catalogue', run: ({ database }) => catalogueCheck(database) },
  { needs: 'no lost database', name: 'closed days', when: loaded('days'), run: ({ database }) => daysCheck(database) },
  { needs: 'the configuration', name: 'onboarding', run: ({ config }) => onboardingCheck(config) },
  { needs: 'the configuration', name: 'password checks', run: ({ config }) => throttleCheck(config) },
  { needs: 'the configuration', name: 'mail', when: sendsMessages, run: ({ config }) => mailCheck(config) },
  {
    needs: 'the configuration',
    name: 'alert webhook',
    when: sendsMessages,
    run: ({ config }) => platformWebhookCheck(config),
  },
  {
    needs: 'no lost database',
    name: 'web push',
    when: sendsMessages,
    run: ({ database, config, box }) => pushCheck(database, config, box),
  },
  {
    needs: 'no lost database',
    name: 'alerts',
    when: loaded('alerts'),
    run: ({ database, config }) => recipientsCheck(database, config),
  },
];
