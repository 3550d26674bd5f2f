import { ApiProperty } from '@nestjs/swagger';

/** Body of a success: a confirmation for people; `data` beside it, where there is some. */
export class MessageView {
  @ApiProperty() message: string;
}
