import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { isDay } from '../../domain/business-day.js';
import { problem } from '../../platform/http/problem.js';

@Injectable()
class DayPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (isDay(value)) return value;
    throw problem('VALIDATION_FAILED', ['day must be a date, for example 2026-11-20']);
  }
}

/** Parameter decorator: the business day in the path, validated and documented in OpenAPI. */
export const DayParam = (): ParameterDecorator => (target, method, index) => {
  Param('day', DayPipe)(target, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(target, method as string) as PropertyDescriptor;
  ApiParam({ name: 'day', type: String, format: 'date', description: 'a business day' })(
    target,
    method as string,
    descriptor,
  );
};
