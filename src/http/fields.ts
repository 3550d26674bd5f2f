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
