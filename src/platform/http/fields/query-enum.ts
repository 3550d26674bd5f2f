import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/**
 * Declares an optional field of a query whose value must be one of `values`.
 * @param enumName the name of the schema of `values` in the document
 * @param description description and default of the field in the document
 */
export const QueryEnum = (
  values: readonly string[],
  enumName: string,
  description: { readonly description?: string; readonly default?: string } = {},
) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', enum: values as string[], enumName, ...description }),
    IsOptional(),
    IsIn(values, { message: () => `$property must be one of: ${values.join(', ')}` }),
  );
