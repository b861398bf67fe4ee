/** A REST answer, ready to be sent and, when it is a first answer, to be kept. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
