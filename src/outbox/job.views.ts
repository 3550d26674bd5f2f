import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { JobStatus } from '../domain/job.js';

/** Which page of jobs is asked for; see job-pages.ts. */
export class JobPageQuery {
  @ApiPropertyOptional({ type: 'integer', default: 20, minimum: 1, maximum: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @ApiPropertyOptional({ description: '`meta.next` of the page before' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  after?: string;
}

export class JobPageMeta {
  @ApiProperty({ type: 'integer' })
  limit: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'send it as `after` for the next page; null: this is the last',
  })
  next: string | null;
}

/** How many jobs are in each state, as every part of the API tells it. */
export class CountsByState implements Record<JobStatus, number> {
  @ApiProperty({ type: 'integer' })
  PENDING: number;

  @ApiProperty({ type: 'integer' })
  PROCESSING: number;

  @ApiProperty({ type: 'integer' })
  SENT: number;

  @ApiProperty({ type: 'integer' })
  FAILED: number;

  @ApiProperty({ type: 'integer' })
  DLQ: number;
}

/** One attempt, as staff and operators see it. */
export class AttemptView {
  @ApiProperty({ type: 'integer' })
  number: number;

  @ApiProperty({ type: String, format: 'date-time' })
  startedAt: Date;

  @ApiProperty({ type: 'integer' })
  durationMs: number;

  @ApiProperty({ type: 'integer', nullable: true, description: "the POS's status" })
  httpStatus: number | null;

  @ApiProperty({ type: String, nullable: true, description: "the POS's errorCode, or the code of the way to it" })
  errorCode: string | null;

  @ApiProperty({ enum: ['SENT', 'FAILED', 'DLQ', 'LOST'] })
  outcome: string;

  @ApiProperty({ enum: ['NOT_SENT', 'UNKNOWN', 'ANSWERED'], description: 'how far the order got' })
  reach: string;

  @ApiProperty({ type: String, nullable: true })
  error: string | null;
}
