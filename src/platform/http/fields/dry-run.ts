import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IfGiven } from './if-given.js';

/** Declares the field `dryRun` of a body. */
export const DryRun = () =>
  applyDecorators(
    ApiPropertyOptional({ type: Boolean, default: false, description: 'true: only counts' }),
    IfGiven(),
    IsBoolean(),
  );
