import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/** The part of the official OpenAPI document of Open Delivery 1.7.0 that concerns orders (Apache 2.0), without prose and examples. */
const STANDARD = JSON.parse(readFileSync(new URL('./open-delivery-1.7.0.orders.json', import.meta.url), 'utf8'));

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
// formats of OpenAPI that JSON Schema does not have
ajv.addFormat('decimal', true);
ajv.addSchema(STANDARD, 'standard');

/** @returns how the body differs from the schema of this name; null: it does not */
export function deviationFrom(name: string, body: unknown): string | null {
  const validate = ajv.getSchema(`standard#/components/schemas/${name}`);
  if (!validate) throw new Error(`the standard has no ${name}`);
  return validate(body) ? null : ajv.errorsText(validate.errors);
}
