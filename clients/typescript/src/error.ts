/** Why cds did not answer. */
export class CdsError extends Error {
  override readonly name = "CdsError";
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /**
   * One word for what went wrong. From cds: `invalid_parameter`, `not_found`, `index_not_found`, `busy`, `timeout`,
   * `refused` and others. From this client, with status 0: `connection` and `timeout`. `bad_answer`: whoever answered
   * is not cds.
   */
  readonly code: string;
  /** More about it: `field`, `expected` and `received` of a parameter at fault. */
  readonly data: Record<string, unknown> | undefined;

  constructor(
    message: string,
    about: { status: number; code: string; data?: Record<string, unknown> | undefined; cause?: unknown },
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.status = about.status;
    this.code = about.code;
    this.data = about.data;
  }
}
