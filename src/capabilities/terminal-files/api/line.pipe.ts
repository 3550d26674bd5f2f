import { Injectable, type PipeTransform } from '@nestjs/common';
import { problem } from '../../../platform/http/problem.js';

const LINE = /^[1-9]\d{0,8}$/;

/** Reads the line of a row from a path. */
@Injectable()
export class LinePipe implements PipeTransform<string, number> {
  /** @throws 400 when it is no whole number from 1 */
  transform(value: string): number {
    if (LINE.test(value)) return Number(value);
    throw problem('VALIDATION_FAILED', ['line must be a line of the file, from 1']);
  }
}
