import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface MediaType {
  readonly schema: Schema;
  /** by name; the documentation page offers them */
  readonly examples?: Record<string, { readonly value: unknown }>;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, MediaType> };
  readonly responses: Record<string, Responded>;
}

export interface Responded {
  readonly description?: string;
  readonly headers?: Record<string, { readonly $ref?: string }>;
  readonly content?: Record<string, MediaType>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
  readonly schema?: Schema;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  additionalProperties?: boolean;
}

export interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Record<string, Partial<Record<Method, Operation>>>;
  readonly info: { readonly description?: string };
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers?: Record<string, { readonly required?: boolean; readonly description?: string }>;
  };
}

/** The parts of an answer that the document describes. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** the content type without its parameters */
  readonly type: string;
  readonly body: unknown;
  readonly text: string;
}

/** The OpenAPI document of a running relay; a check throws when an answer differs from it. */
export class Contract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: Document) {
    addFormats.default(this.ajv);
    const closed = structuredClone(document);
    // a field that the document does not have is an error
    for (const schema of Object.values(closed.components.schemas))
      if (schema.type === 'object') schema.additionalProperties = false;
    this.ajv.addSchema(closed, 'document');
  }

  /**
   * @param route as the router has it, `/restaurants/:restaurantId`
   * @throws when the answer's status, content type, headers, body or `code` is not in the document
   */
  check(method: Method, route: string, { status, headers, type, body, text }: Answer): void {
    const answered = `${method.toUpperCase()} ${route} ${status}`;
    if (!headers['x-request-id']) throw new Error(`${answered}: no X-Request-Id`);
    if (headers['cache-control'] !== 'no-store') throw new Error(`${answered}: may be stored`);
    // the router takes a double colon for a single one that is no parameter
    const named = route.replaceAll(/(?<!:):(\w+)/g, '{$1}').replaceAll('::', ':');
    const path = this.document.paths[route] ? route : named;
    const operation = this.document.paths[path]?.[method];
    if (!operation) {
      if (![400, 404, 405].includes(status)) throw new Error(`${answered}: the route is not in the document`);
      this.validate('/components/schemas/ErrorView', body, answered);
      return;
    }
    const response = operation.responses[status];
    if (response) this.checkHeaders(response, headers, answered);
    if ([202, 204, 304].includes(status) && response && !response.content && text === '') return;
    const content = response?.content;
    if (!content) throw new Error(`${answered}: ${status} is not in the document: ${text}`);
    if (!content[type]?.schema) throw new Error(`${answered}: content type ${type} is not in the document`);
    const pointer = ['paths', path, method, 'responses', String(status), 'content', type, 'schema']
      .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
      .join('');
    this.validate(pointer, type === 'application/json' ? body : text, answered);
  }

  private checkHeaders({ headers: named = {} }: Responded, headers: Answer['headers'], answered: string): void {
    for (const [name, { required }] of Object.entries(this.document.components.headers ?? {})) {
      const isSent = headers[name.toLowerCase()] !== undefined;
      const isNamed = Object.hasOwn(named, name);
      if (isNamed && required && !isSent) throw new Error(`${answered}: no ${name}`);
      if (isSent && !isNamed) throw new Error(`${answered}: ${name} is not in the document`);
    }
  }

  private validate(pointer: string, value: unknown, answered: string): void {
    const $ref = `document#${pointer}`;
    const validate = this.compiled.get($ref) ?? this.ajv.compile({ $ref });
    this.compiled.set($ref, validate);
    if (validate(value)) return;
    const errors = this.ajv.errorsText(validate.errors);
    throw new Error(`${answered} is not as documented: ${errors}: ${JSON.stringify(value)}`);
  }
}
