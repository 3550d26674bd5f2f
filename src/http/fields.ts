import { ApiProperty } from '@nestjs/swagger';

// The types that most fields of an answer have, so that a field is one line. A description says what the name does not.

/** A whole number. */
export const Integer = (description?: string) => ApiProperty({ type: 'integer', ...(description && { description }) });

/** A time: ISO 8601, in UTC. */
export const Instant = (description?: string) =>
  ApiProperty({ type: String, format: 'date-time', ...(description && { description }) });

/** An id of the relay's own. */
export const Uuid = (description?: string) => ApiProperty({ format: 'uuid', ...(description && { description }) });
