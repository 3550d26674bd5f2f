import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsOptional } from 'class-validator';
import { readTime } from '../../../domain/time.js';

/** Validates a field as a time: ISO 8601, UTC when it has no zone. The field becomes a Date. */
export const IsTime = () =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (readTime(value) ?? value) : value)),
    IsDate({ message: '$property must be an ISO 8601 time, for example 2026-01-31T20:00:00Z' }),
  );

/** Declares an optional time in a query, as {@link IsTime}. */
export const QueryTime = (description: string) =>
  applyDecorators(
    // there is no `example`, because the documentation page would send it
    ApiPropertyOptional({
      type: String,
      format: 'date-time',
      description: `${description}; ISO 8601, for example 2026-01-31T20:00:00Z`,
    }),
    IsOptional(),
    IsTime(),
  );
