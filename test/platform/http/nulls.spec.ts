import type { Document, Method, Schema } from '../../../tools/contract.js';
import { Visitor } from '../../capabilities/console/visitor.js';
import { type Caller, Scenario } from '../../support/scenario.js';

/** A property of a body; in OpenAPI 3.1 a nullable one has `null` among its types. */
type Field = Omit<Schema, 'type'> & { readonly type?: string | readonly string[]; readonly format?: string };

interface Body {
  readonly method: Method;
  readonly path: string;
  readonly properties: Readonly<Record<string, Field>>;
}

/** A transaction, and what a POS says by the standard (Q15), is not validated by a DTO: there null counts as absent (W18). */
const NO_DTO = /^POST \/(?:webhooks\/terminal|v1\/)/;
/** The required fields of `PUT /users/me/notifications`. */
const PREFERENCES = { push: true, mail: true, always: false, language: 'en' };
/** The required fields of a mapping. */
const MAPPING = { date: 0, amount: 1, decimal: 'comma', dateOrder: 'YMD', zone: 'UTC' };
const OF_A_FORMAT: Readonly<Record<string, unknown>> = {
  uuid: '00000000-0000-4000-8000-000000000000',
  'date-time': '2026-01-31T20:00:00Z',
};

describe('null in the body of a management route (A31)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let caller: Caller;
  let visitor: Visitor;
  let restaurantId: string;
  const bodies: Body[] = [];

  beforeAll(async () => {
    caller = await scenario.person('ADMIN');
    restaurantId = await scenario.people.restaurant('STORE-1', [caller, 'OWNER']);
    visitor = await Visitor.signIn(scenario.relay, caller);
    const document: Document = (await scenario.api.get('/docs-json').expect(200)).body;
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const name = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
        if (!name || NO_DTO.test(`${method.toUpperCase()} ${path}`)) continue;
        const { properties = {} } = document.components.schemas[name] as { properties?: Body['properties'] };
        bodies.push({ method: method as Method, path, properties });
      }
  });

  // an object is nullable as one of two schemas
  const isNullable = ({ type, ...field }: Field) =>
    Array.isArray(type) ? type.includes('null') : JSON.stringify(field).includes('{"type":"null"}');
  const valid = ({ example, enum: values, type, format }: Field): unknown => {
    if (example !== undefined || values) return example ?? values?.[0];
    if (format) return OF_A_FORMAT[format];
    if (type === 'array') return [OF_A_FORMAT.uuid];
    const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
    return isInteger ? 1 : type === 'boolean' ? true : 'text';
  };
  const ask = ({ method, path }: Body, body: object, fileId = String(OF_A_FORMAT.uuid)) => {
    const filled = path
      .replace('{restaurantId}', restaurantId)
      .replace(/\{(userId|id)\}/, caller.id)
      .replace('{fileId}', fileId)
      .replace('{line}', '2')
      .replace('{kind}', 'ITEM');
    const asked = path.startsWith('/console/')
      ? visitor.ask(method, filled, body)
      : scenario.relay.http[method](filled).auth(caller.token, { type: 'bearer' }).send(body);
    return asked as Promise<{ status: number; body: { message: string | string[] } }>;
  };

  /** Another file each time: a file is confirmed once. */
  const upload = async (name: string): Promise<string> => {
    const asked = scenario.relay.http.post(`/restaurants/${restaurantId}/terminal-files`);
    const sent = asked
      .auth(caller.token, { type: 'bearer' })
      .type('text/csv')
      .send(`date,amount\n2026-11-20,1,${name}\n`);
    return (await sent.expect(201)).body.data.id;
  };

  const invite = async (email: string): Promise<string> => {
    const path = `/restaurants/${restaurantId}/invitations`;
    return (await scenario.api.post(path, caller.token, { email, role: 'VIEWER' }).expect(201)).body.data.token;
  };

  test('in a field that is not nullable in the document: 400 that names the field', async () => {
    expect(bodies.length).toBeGreaterThan(8);
    let asked = 0;
    for (const body of bodies) {
      const good = Object.fromEntries(Object.entries(body.properties).map(([name, schema]) => [name, valid(schema)]));
      for (const [name, field] of Object.entries(body.properties)) {
        if (isNullable(field)) continue;
        for (const value of field.type === 'array' ? [null, [null]] : [null]) {
          const answer = await ask(body, { ...good, [name]: value });
          const got = { route: `${body.method} ${body.path}`, status: answer.status, message: answer.body.message };
          expect(got).toMatchObject({ status: 400, message: expect.arrayContaining([expect.stringContaining(name)]) });
          asked += 1;
        }
      }
    }
    expect(asked).toBeGreaterThan(20);
  });

  test('in a nullable field: accepted', async () => {
    const cleared = bodies
      .flatMap((body) => Object.entries(body.properties).map(([name, schema]) => ({ body, name, schema })))
      .filter(({ schema }) => isNullable(schema));
    expect(cleared.length).toBeGreaterThan(8);
    for (const { body, name } of cleared) {
      const required = {
        name: 'Roma',
        email: `${name}@example.com`,
        password: caller.password,
        role: 'VIEWER',
        ...PREFERENCES,
        ...MAPPING,
      };
      const fields = Object.fromEntries(Object.entries(required).filter(([field]) => field in body.properties));
      const token = 'token' in body.properties ? { token: await invite(`${name}@example.org`) } : {};
      const fileId = body.path.includes('{fileId}') ? await upload(`${body.path} ${name}`) : undefined;
      const { status } = await ask(body, { ...fields, ...token, [name]: null }, fileId);
      expect([body.path, name, [200, 201].includes(status) ? 'taken' : status]).toEqual([body.path, name, 'taken']);
    }
  });
});
