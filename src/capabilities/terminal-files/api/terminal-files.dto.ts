import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Length } from 'class-validator';
import { DELIMITERS, ENCODINGS } from '../../../platform/files/rules/csv.js';
import { CursorPageDto, CursorPageMetaView, MAX_PAGE } from '../../../platform/http/fields/cursor-page.js';
import { Instant, Integer, NullableInstant, Uuid } from '../../../platform/http/fields/fields.js';
import { IfGiven } from '../../../platform/http/fields/if-given.js';
import { IsDay } from '../../../platform/http/fields/is-day.js';
import { MessageView } from '../../../platform/http/fields/message.view.js';
import { ANSWER_WORDS, type Answer, PRESETS, PREVIEW_ROWS, ROW_KINDS, type RowKind } from '../rules/terminal-file.js';
import { FiguresOfRowsView, FileAnswerCountView, FileSaleView } from './figures.dto.js';
import { KindOfValueView, MAX_KINDS, MappingDto, MappingView, StatusMeaningView } from './mapping.dto.js';

/** States of a file: nothing of it counts before it is confirmed (J2). */
export const FILE_STATES = ['UPLOADED', 'CONFIRMED'] as const;

export const MAX_FILE_NAME = 200;
export const MAX_CELL = 300;
export const MAX_COLUMNS = 200;

/** Query parameters of `POST /restaurants/:restaurantId/terminal-files`. */
export class UploadQueryDto {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_FILE_NAME,
    description: 'for people; default: `file.csv`',
  })
  @IfGiven()
  @IsString()
  @Length(1, MAX_FILE_NAME)
  name = 'file.csv';
}

/** Query parameters of `GET /restaurants/:restaurantId/terminal-files`. */
export class QueryTerminalFilesDto extends CursorPageDto {}

/** Body of `POST …/terminal-files/:fileId/preview`. */
export class PreviewTerminalFileDto extends MappingDto {}

/** Body of `POST …/terminal-files/:fileId/confirm`. */
export class ConfirmTerminalFileDto extends MappingDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: 'the first business day that the file covers; default: the day of its earliest sale',
  })
  @IfGiven()
  @IsDay()
  from?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: 'the last business day that the file covers; default: the day of its latest sale',
  })
  @IfGiven()
  @IsDay()
  to?: string;

  @ApiPropertyOptional({
    ...{ type: Boolean, default: true },
    description:
      'false: when fewer than 90 % of the payments are found it asks, with 409 FEW_SALES_FOUND, before it says that the others never reached ' +
      'the relay',
  })
  @IfGiven()
  @IsBoolean()
  claim?: boolean;

  @ApiPropertyOptional({
    ...{ type: Boolean, default: false },
    description: 'reads a file again that is confirmed: what people decided stays with its rows',
  })
  @IfGiven()
  @IsBoolean()
  again?: boolean;
}

/** The business days of a file, both included. */
export class FileDaysView {
  @ApiProperty({ type: String, format: 'date' }) from: string;
  @ApiProperty({ type: String, format: 'date' }) to: string;
}

/** A row as a mapping reads it. */
export class PreviewRowView {
  @Integer('the line of the file where the row begins, from 1') line: number;
  @ApiProperty({ type: String, nullable: true, description: 'why the row cannot be read; null: it can' })
  problem: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) reference: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) authorisation: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) terminal: string | null;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) instalment: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'not below zero; null: not read' })
  cents: number | null;
  @ApiProperty({ enum: [...ROW_KINDS], enumName: 'FileRowKind', nullable: true, description: 'null: not read' })
  kind: RowKind | null;
  @NullableInstant('null: not read') at: Date | null;
  @ApiProperty({ description: 'the file has a date and no time: `at` is noon' }) isDateOnly: boolean;
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_CELL }) tender: string | null;

  @ApiProperty({
    ...{ enum: ANSWER_WORDS, enumName: 'FileAnswer', nullable: true },
    description: 'what a confirmation would say of it now; null where `claim` is null',
  })
  answer: Answer | null;

  @ApiProperty({ type: FileSaleView, nullable: true, description: 'the sale of this answer' })
  sale: FileSaleView | null;
}

/** What the rows of a file are, as a mapping reads them. */
export class FileCountsView {
  @Integer() rows: number;
  @ApiProperty() sales: FiguresOfRowsView;
  @ApiProperty() refunds: FiguresOfRowsView;
  @ApiProperty() chargebacks: FiguresOfRowsView;
  @ApiProperty({ description: 'fees, payouts, totals, payments that did not come about, and amounts of zero' })
  ignored: FiguresOfRowsView;
  @Integer('rows that cannot be read') unreadable: number;
}

class RowProblemView {
  @Integer('the line of the file') line: number;
  @ApiProperty() problem: string;
}

/** How many of the first 1,000 sales of a file the relay knows. */
export class MappingScoreView {
  @Integer('rows that are sales') rows: number;
  @Integer('of these, rows whose sale is found by the reference, or by amount and time') known: number;
}

/** What a confirmation would say of the payments of a file (J21). */
export class FileClaimView {
  @Integer('payments of its days, without those that are listed twice') sales: number;
  @Integer('of these, payments that would be MISSING_HERE') missing: number;
  @Integer('their sum') missingCents: number;
  @ApiProperty({ description: 'fewer than 90 % are found: a confirmation with `claim`: false asks' }) asks: boolean;
}

/** What a mapping makes of a file. */
export class FilePreviewView {
  @ApiProperty({ type: [PreviewRowView], maxItems: PREVIEW_ROWS, description: 'the first rows' })
  rows: PreviewRowView[];

  @ApiProperty({ description: 'of all rows' }) counts: FileCountsView;

  @ApiProperty({ type: [RowProblemView], maxItems: PREVIEW_ROWS, description: 'the first rows that cannot be read' })
  problems: RowProblemView[];

  @ApiProperty({ type: FileDaysView, nullable: true, description: 'of its sales; null: it has none' })
  days: FileDaysView | null;

  @ApiProperty({
    ...{ type: [KindOfValueView], maxItems: MAX_KINDS },
    description:
      'the values of the column `kind` whose meaning is known, by the mapping or by their words; empty when they are too many for it',
  })
  kinds: KindOfValueView[];

  @ApiProperty({
    ...{ type: [String], maxItems: MAX_KINDS },
    description: 'the other values of the column `kind`: their rows cannot be read until the mapping names them',
  })
  unknownKinds: string[];

  @ApiProperty({ type: [StatusMeaningView], maxItems: MAX_KINDS, description: 'as `kinds`, of the column `status`' })
  statuses: StatusMeaningView[];

  @ApiProperty({ type: [String], maxItems: MAX_KINDS, description: 'as `unknownKinds`, of the column `status`' })
  unknownStatuses: string[];

  @ApiProperty({
    ...{ type: MappingScoreView, nullable: true },
    description:
      'how well the mapping fits the sales of the restaurant; null: not known, its days have too many sales or it has none',
  })
  score: MappingScoreView | null;

  @ApiProperty({
    ...{ type: FileClaimView, nullable: true },
    description:
      'what a confirmation with this mapping would say; null: not known, as `score`, or because the file has more than 5,000 rows',
  })
  claim: FileClaimView | null;
}

/** A file of the acquirer. */
export class TerminalFileView {
  @Uuid() id: string;
  @ApiProperty({ maxLength: MAX_FILE_NAME }) name: string;
  @ApiProperty({ pattern: '^[0-9a-f]{64}$', description: 'by which the same file is known' }) sha256: string;
  @ApiProperty({ enum: [...FILE_STATES], enumName: 'TerminalFileState' }) state: string;
  @Integer() bytes: number;
  @Integer() rows: number;

  @ApiProperty({ type: [String], maxItems: MAX_COLUMNS, description: 'the names of the columns, as the file has them' })
  columns: string[];

  @Integer('the line of these names') headerLine: number;
  @ApiProperty({ enum: [...DELIMITERS], enumName: 'FileDelimiter' }) delimiter: string;
  @ApiProperty({ enum: [...ENCODINGS], enumName: 'FileEncoding' }) encoding: string;

  @ApiProperty({
    ...{ enum: [...PRESETS], enumName: 'FilePreset', nullable: true },
    description: 'a kind of file that the relay knows; null: none',
  })
  preset: string | null;

  @ApiProperty({ description: 'as it was confirmed; before: the guess, or what the restaurant last confirmed' })
  mapping: MappingView;

  @ApiProperty({ type: FileDaysView, nullable: true, description: 'the days that it covers; null: not confirmed' })
  days: FileDaysView | null;

  @Instant() uploadedAt: Date;
  @ApiProperty({ type: String, nullable: true, description: 'the name of who did; null: not known' })
  uploadedBy: string | null;
  @NullableInstant() confirmedAt: Date | null;
  @ApiProperty({ type: String, nullable: true }) confirmedBy: string | null;
  @NullableInstant('when its rows were last compared with the sales; null: not confirmed') matchedAt: Date | null;

  @ApiProperty({ description: 'its cells are kept: a confirmed file can be read again with another mapping' })
  isKept: boolean;

  @ApiProperty({ type: [FileAnswerCountView], maxItems: 13, description: 'each answer once; empty: not confirmed' })
  summary: FileAnswerCountView[];
}

/** A file with its preview. */
export class TerminalFileDetailView extends TerminalFileView {
  @ApiProperty({ type: FilePreviewView, nullable: true, description: 'null: confirmed' })
  preview: FilePreviewView | null;
}

/** Response of `POST /restaurants/:restaurantId/terminal-files`, and of a confirmation. */
export class TerminalFileDoneView extends MessageView {
  @ApiProperty() data: TerminalFileDetailView;
}

/** Response of `GET …/terminal-files/:fileId`. */
export class TerminalFileAnswerView {
  @ApiProperty() data: TerminalFileDetailView;
}

/** Response of `POST …/terminal-files/:fileId/preview`. */
export class FilePreviewAnswerView {
  @ApiProperty() data: FilePreviewView;
}

/** Response of `GET /restaurants/:restaurantId/terminal-files`. */
export class TerminalFilesPageView {
  @ApiProperty({ type: [TerminalFileView], maxItems: MAX_PAGE }) data: TerminalFileView[];
  @ApiProperty() meta: CursorPageMetaView;
}
