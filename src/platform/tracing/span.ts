/** The values of `kind` in OTLP. */
export const KIND = { internal: 1, server: 2, client: 3 } as const;

/** A span that has ended. Ids are lower-case hexadecimal text; times are epoch ms with fractions. */
export interface Span {
  /** 32 digits */
  readonly traceId: string;
  /** 16 digits */
  readonly id: string;
  /** absent: a root */
  readonly parent?: string | undefined;
  /** the span of another trace that led to this one */
  readonly link?: { readonly traceId: string; readonly id: string } | undefined;
  readonly name: string;
  readonly kind: (typeof KIND)[keyof typeof KIND];
  readonly startMs: number;
  readonly endMs: number;
  /** undefined and null are left out */
  readonly attributes: Readonly<Record<string, AttributeValue | null | undefined>>;
  /** a word that says what failed; absent: nothing did */
  readonly error?: string | undefined;
}

export type AttributeValue = string | number | boolean;
