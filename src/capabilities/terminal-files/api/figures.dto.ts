import { ApiProperty } from '@nestjs/swagger';
import { KEY_LENGTH } from '../../../outbox/job.views.js';
import { Instant, Integer } from '../../../platform/http/fields/fields.js';
import { ANSWER_WORDS, ANSWERS, type Answer } from '../rules/terminal-file.js';

/** The decorator of a field with an answer (J10). */
export const IsAnswer = (description = ANSWER_WORDS.map((word) => `${word}: ${ANSWERS[word]}`).join('; ')) =>
  ApiProperty({ enum: ANSWER_WORDS, enumName: 'FileAnswer', description });

/** Rows and their sum. */
export class FiguresOfRowsView {
  @Integer() count: number;
  @Integer('not below zero') cents: number;
}

/** How many rows have an answer. */
export class FileAnswerCountView extends FiguresOfRowsView {
  @IsAnswer() answer: Answer;
  @Integer('rows that a person has accepted, entered or checked')
  decided: number;
  @Integer('rows that need a person, without those that were checked; of ENTERED those whose sale arrived later')
  open: number;
}

/** A sale of the relay that belongs to a row, or that has none. */
export class FileSaleView {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @ApiProperty({ type: String, nullable: true, maxLength: KEY_LENGTH }) transactionNumber: string | null;
  @Integer('what the file should have: paid, without cash; of a refund below zero') cents: number;
  @Instant('when it was sold, by the terminal; without a plausible date: when it was received') at: Date;
}
