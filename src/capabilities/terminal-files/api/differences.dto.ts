import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { KEY_LENGTH } from '../../../outbox/job.views.js';
import { CursorPageMetaView, MAX_PAGE } from '../../../platform/http/fields/cursor-page.js';
import { Integer, NullableInstant, Uuid } from '../../../platform/http/fields/fields.js';
import { IfGiven } from '../../../platform/http/fields/if-given.js';
import { MessageView } from '../../../platform/http/fields/message.view.js';
import { QueryEnum } from '../../../platform/http/fields/query-enum.js';
import { QueryBoolean, QueryInteger, QueryText } from '../../../platform/http/fields/query-fields.js';
import { CSV_SEPARATORS } from '../../../restaurants/reports/takings-export.dto.js';
import {
  ANSWER_WORDS,
  type Answer,
  DECISION_WORDS,
  DECISIONS,
  type Decision,
  ROW_KINDS,
  type RowKind,
} from '../rules/terminal-file.js';
import { FileSaleView, IsAnswer } from './figures.dto.js';
import { MAX_CELL, TerminalFileView } from './terminal-files.dto.js';

/** Query parameters of `GET …/terminal-files/:fileId/differences`. */
export class QueryDifferencesDto {
  @QueryInteger({ default: MAX_PAGE, minimum: 1, maximum: MAX_PAGE })
  limit = MAX_PAGE;

  @QueryText(2_000, 'cursor: `meta.next` of the previous page')
  after?: string;

  @QueryEnum(ANSWER_WORDS, 'FileAnswer', {
    description: 'only rows with this answer; without it: all that are not MATCHED, those first that need somebody',
  })
  answer?: Answer;

  @QueryBoolean('only rows that a person has entered, accepted or checked, by line; without `answer`')
  decided?: boolean;
}

/** Query parameters of `GET …/terminal-files/:fileId/differences.csv`. */
export class QueryDifferencesFileDto {
  @QueryEnum(CSV_SEPARATORS, 'CsvSeparator', { default: 'comma', description: 'as for takings.csv' })
  separator: (typeof CSV_SEPARATORS)[number] = 'comma';
}

/** Body of `POST …/rows/:line/accept` and `…/refuse`. */
export class SuggestedSaleDto {
  @ApiProperty({ minLength: 1, maxLength: KEY_LENGTH, description: 'the sale that was suggested' })
  @IsString()
  @Length(1, KEY_LENGTH)
  transactionKey: string;
}

/** Body of `POST …/rows/:line/enter`. */
export class EnteredRowDto {
  @ApiProperty({ minLength: 1, maxLength: 500, description: 'what was entered, and where; the audit keeps it' })
  @IsString()
  @Length(1, 500)
  note: string;
}

/** Body of `POST …/rows/:line/check`. */
export class CheckedRowDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 500, description: 'what was found; the audit keeps it' })
  @IfGiven()
  @IsString()
  @Length(1, 500)
  note?: string;
}

/** The rows of confirmed files that one sale has. */
export class RowsOfSaleView {
  @Integer() count: number;
  @Integer('their sum') cents: number;
}

class EarlierFileView {
  @Uuid() id: string;
  @ApiProperty() name: string;
}

/** A row of the file, or a sale that has none (MISSING_THERE). */
export class DifferenceView {
  @IsAnswer() answer: Answer;
  @ApiProperty({ type: 'integer', nullable: true, description: 'the line of the file; null: MISSING_THERE' })
  line: number | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) reference: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) authorisation: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) terminal: string | null;
  @ApiProperty({ enum: [...ROW_KINDS], enumName: 'FileRowKind', nullable: true }) kind: RowKind | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'of the file; not below zero' }) cents: number | null;
  @NullableInstant('of the file') at: Date | null;
  @ApiProperty({ description: 'the file has a date without a time: the time of `at` says nothing' })
  isDateOnly: boolean;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) tender: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'of UNREADABLE' }) problem: string | null;
  @ApiProperty({ type: FileSaleView, nullable: true }) sale: FileSaleView | null;

  @ApiProperty({
    type: EarlierFileView,
    nullable: true,
    description: 'of REPEATED, and of a DUPLICATE of another file',
  })
  repeatOf: EarlierFileView | null;

  @ApiProperty({
    ...{ enum: DECISION_WORDS, enumName: 'FileDecision', nullable: true },
    description: `what a person decided; ${DECISION_WORDS.map((word) => `${word}: ${DECISIONS[word]}`).join('; ')}`,
  })
  decision: Decision | null;

  @ApiProperty({ type: String, nullable: true, description: 'of a decision: what the person wrote' }) note:
    | string
    | null;
  @ApiProperty({ type: String, nullable: true, description: 'who decided it' }) decidedBy: string | null;
  @NullableInstant() decidedAt: Date | null;
  @Integer('sales that a person refused for the row') refusedSales: number;

  @ApiProperty({
    ...{ type: RowsOfSaleView, nullable: true },
    description: 'AMOUNT_DIFFERS: the rows of the sale, whose sum is compared; else null',
  })
  saleRows: RowsOfSaleView | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'DUPLICATE: the line of the row that it is equal to; else null',
  })
  equalLine: number | null;
}

/** Response of `GET …/terminal-files/:fileId/differences`. */
export class DifferencesPageView {
  @ApiProperty({ description: 'with the summary' }) file: TerminalFileView;
  @ApiProperty({ type: [DifferenceView], maxItems: MAX_PAGE }) data: DifferenceView[];
  @ApiProperty() meta: CursorPageMetaView;
}

/** Response of what a person decides about a row. */
export class RowDecidedView extends MessageView {
  @ApiProperty() data: DifferenceView;
}
