import { ApiProperty } from '@nestjs/swagger';
import { Integer } from '../../../platform/http/fields/fields.js';
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
