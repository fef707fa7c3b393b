/** The limits of an upload; every limit has a name, a unit and a default. */

export interface FormLimits {
  readonly partsMax: number;
  readonly fieldNameBytesMax: number;
  /** The header lines of one part; also the text before the first part and after the last. */
  readonly partHeadBytesMax: number;
  readonly fieldBytesMax: number;
  /** All fields together: they are held in memory, which files are not. */
  readonly fieldsBytesMax: number;
  readonly fileBytesMax: number;
  readonly totalBytesMax: number;
  /** From the start of reading to the last byte. */
  readonly timeoutMs: number;
}

export const defaultFormLimits: FormLimits = Object.freeze({
  partsMax: 128,
  fieldNameBytesMax: 256,
  partHeadBytesMax: 8_192,
  fieldBytesMax: 1_048_576,
  fieldsBytesMax: 4_194_304,
  fileBytesMax: 134_217_728,
  totalBytesMax: 134_217_728,
  timeoutMs: 300_000,
});
