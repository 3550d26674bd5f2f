import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';
import { NAME } from '../../../domain/text.js';

/** Validates a field as a name that people read, of a person or a thing, and trims it (A38). @param maxLength in UTF-16 units */
export const IsName = (maxLength: number) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    Length(1, maxLength),
    Matches(NAME, { message: '$property must not contain control characters, or others that are invisible' }),
  );
