/**
 * Server-sent events: bytes in, the data of each event out.
 *
 * Node 20 has no `EventSource`, and that of browsers can send no token.
 */
export class Events {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #data: string[] = [];

  /** The data of events that are whole now. What is cut off waits for more bytes. */
  take(bytes: Uint8Array): string[] {
    const whole: string[] = [];
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    for (;;) {
      const end = /\r\n|\n|\r/.exec(this.#rest);
      // A carriage return at the very end may be the first half of a line's end.
      if (end === null || (end[0] === "\r" && end.index === this.#rest.length - 1)) {
        return whole;
      }
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      if (line === "") {
        if (this.#data.length > 0) {
          whole.push(this.#data.join("\n"));
        }
        this.#data = [];
      } else {
        this.#line(line);
      }
    }
  }

  #line(line: string): void {
    // There is one kind of event, so its name tells nothing; a line that begins with a colon keeps the line open.
    if (line === "data") {
      this.#data.push("");
    } else if (line.startsWith("data:")) {
      const value = line.slice("data:".length);
      this.#data.push(value.startsWith(" ") ? value.slice(1) : value);
    }
  }
}
