import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsOptional } from 'class-validator';
import { readTime } from './domain/time.js';

/** A time in a query: ISO 8601, without a zone UTC. The field becomes a Date. */
export const QueryTime = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-01-31T20:00:00Z', description }),
    IsOptional(),
    Transform(({ value }) => (typeof value === 'string' ? (readTime(value) ?? value) : value)),
    IsDate({ message: '$property must be an ISO 8601 time, for example 2026-01-31T20:00:00Z' }),
  );
