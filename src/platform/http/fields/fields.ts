import { ApiProperty } from '@nestjs/swagger';

// Decorators for the common types of fields in answers.

/** A whole number. */
export const Integer = (description?: string) => ApiProperty({ type: 'integer', ...(description && { description }) });

/** A time: ISO 8601, in UTC. */
export const Instant = (description?: string) =>
  ApiProperty({ type: String, format: 'date-time', ...(description && { description }) });

/** As {@link Instant}, or null. */
export const NullableInstant = (description?: string) =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, ...(description && { description }) });

/** An id made by the relay. */
export const Uuid = (description?: string) => ApiProperty({ format: 'uuid', ...(description && { description }) });

/** As {@link Integer}, or null. */
export const NullableInteger = (description?: string) =>
  ApiProperty({ type: 'integer', nullable: true, ...(description && { description }) });

/** A text, or null. */
export const NullableText = (description?: string, more: { example?: string; maxLength?: number } = {}) =>
  ApiProperty({ type: String, nullable: true, ...(description && { description }), ...more });

/** A list of views, or of texts (String). */
export const ListOf = (each: new () => object, maxItems: number, description?: string) =>
  ApiProperty({ type: [each], maxItems, ...(description && { description }) });

/** One of a list of values. @param enumName the name of the schema of `values` in the document */
export const OneOf = (values: readonly string[], enumName: string, description?: string) =>
  ApiProperty({ type: 'string', enum: values as string[], enumName, ...(description && { description }) });

/** As {@link Uuid}, or null. */
export const NullableUuid = (description?: string) =>
  ApiProperty({ type: String, format: 'uuid', nullable: true, ...(description && { description }) });
