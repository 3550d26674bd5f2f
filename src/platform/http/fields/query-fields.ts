import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { IsDay } from './is-day.js';

/** Declares an optional whole number of a query. */
export const QueryInteger = (limits: {
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly description?: string;
}) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', ...limits }),
    IsOptional(),
    Type(() => Number),
    IsInt(),
    Min(limits.minimum),
    Max(limits.maximum),
  );

/** Declares an optional text of a query. @param maxLength in characters */
export const QueryText = (maxLength: number, description: string) =>
  applyDecorators(ApiPropertyOptional({ description }), IsOptional(), IsString(), MaxLength(maxLength));

/** Declares an optional `true` or `false` of a query. */
export const QueryBoolean = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: Boolean, description }),
    IsOptional(),
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: '$property must be true or false' }),
  );

/** Declares an optional business day of a query (R15). */
export const QueryDay = (description: string) =>
  applyDecorators(ApiPropertyOptional({ type: String, format: 'date', description }), IsOptional(), IsDay());
