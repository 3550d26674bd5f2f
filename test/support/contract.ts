import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

export type Method = 'get' | 'post' | 'patch' | 'delete';

export interface Operation {
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Schema }> }>;
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
  readonly paths: Record<string, Partial<Record<Method, Operation>>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

/** An answer, as far as the document says anything of it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** the content type without its parameters */
  readonly type: string;
  readonly body: unknown;
  readonly text: string;
}

/** What the OpenAPI document of a running relay promises; whoever finds an answer that is not so, throws. */
export class Contract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: Document) {
    addFormats.default(this.ajv);
    const closed = structuredClone(document);
    // a field that the document does not name is a leak
    for (const schema of Object.values(closed.components.schemas))
      if (schema.type === 'object') schema.additionalProperties = false;
    this.ajv.addSchema(closed, 'document');
  }

  /** @throws when the answer's status, content type or body is not in the document */
  check(method: Method, url: string, { status, headers, type, body, text }: Answer): void {
    const asked = `${method.toUpperCase()} ${url}`;
    if (!headers['x-request-id']) throw new Error(`${asked}: the answer ${status} has no X-Request-Id`);
    const path = this.pathOf(method, url);
    const operation = path && this.document.paths[path]?.[method];
    if (!path || !operation) {
      if (status !== 404 && status !== 400) throw new Error(`${asked}: answers ${status}, but is not in the document`);
      this.validate('document#/components/schemas/ErrorView', body, `${asked} ${status}`);
      return;
    }
    const content = operation.responses[status]?.content;
    if (!content) throw new Error(`${asked}: ${status} is not in the document: ${text}`);
    if (!content[type]?.schema) throw new Error(`${asked} ${status}: content type ${type} is not in the document`);
    const pointer = ['paths', path, method, 'responses', String(status), 'content', type, 'schema']
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    this.validate(`document#/${pointer}`, type === 'application/json' ? body : text, `${asked} ${status}`);
  }

  /** The path of the document that serves this call; literal segments win over parameters. */
  private pathOf(method: Method, url: string): string | undefined {
    const segments = (url.split('?')[0] as string).split('/');
    const serving = Object.keys(this.document.paths).filter((path) => {
      const parts = path.split('/');
      const fits =
        parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]);
      return fits && this.document.paths[path]?.[method];
    });
    const literalFirst = (path: string) => path.replaceAll('{', '~');
    return serving.sort((a, b) => (literalFirst(a) < literalFirst(b) ? -1 : 1))[0];
  }

  private validate(ref: string, value: unknown, asked: string): void {
    let validate = this.compiled.get(ref);
    if (!validate) {
      validate = this.ajv.compile({ $ref: ref });
      this.compiled.set(ref, validate);
    }
    if (validate(value)) return;
    throw new Error(`${asked} is not as documented: ${this.ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
  }
}
