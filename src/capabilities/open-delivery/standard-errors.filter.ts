import { Catch } from '@nestjs/common';
import { ErrorFilter } from '../../platform/http/error.filter.js';
import type { ErrorView } from '../../platform/http/problem.js';

/** Adds what Open Delivery asks of an error: `title` and `status` (Q10). */
@Catch()
export class StandardErrors extends ErrorFilter {
  protected override shaped(body: ErrorView): ErrorView {
    const { message, statusCode } = body;
    return { title: typeof message === 'string' ? message : message.join('; '), status: statusCode, ...body };
  }
}
