import { ApiProperty } from '@nestjs/swagger';

/** Body of a success: a text for people; subclasses add `data`. */
export class MessageView {
  @ApiProperty() message: string;
}
