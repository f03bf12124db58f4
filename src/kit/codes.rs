//! The findings of the kit, addressed to a driver's author: `CB6xx`.

crate::codes! {
    /// No driver, or a `driver.toml` that cannot be used.
    NO_DRIVER = "CB600", Error, "a driver that cannot be used";
    /// A program that the driver needs is not there.
    MISSING_PROGRAM = "CB601", Error, "a program that the driver needs is missing";
    /// The driver's build failed.
    BUILD_FAILED = "CB602", Error, "the driver's build failed";
    /// Java, Maven or Kafka is not there.
    NO_BROKER = "CB603", Error, "the broker cannot be had";
    /// A line that is not JSON.
    NOT_JSON = "CB610", Error, "a line that is not JSON";
    /// A line that is JSON, but no object.
    NOT_OBJECT = "CB611", Error, "a line that is not a JSON object";
    /// An event that nobody knows.
    UNKNOWN_EVENT = "CB612", Error, "an unknown event";
    /// A field is missing, unknown or of the wrong type.
    WRONG_SHAPE = "CB613", Error, "an event of the wrong shape";
    /// An id that was not asked, or that was answered before.
    WRONG_ID = "CB614", Error, "an answer to nothing";
    /// An answer that does not fit its command.
    WRONG_ANSWER = "CB615", Error, "an answer that does not fit its command";
    /// An event that cannot come now.
    WRONG_ORDER = "CB616", Error, "an event that cannot come now";
    /// A line too long, or too many of them.
    FLOOD = "CB617", Error, "more output than the kit reads";
    /// The driver ended when it should not, or with a code that is not 0.
    CRASHED = "CB620", Error, "the driver ended by itself";
    /// The driver did not answer in time.
    HUNG = "CB621", Error, "the driver did not answer in time";
    /// The driver used more memory than it may.
    MEMORY = "CB622", Error, "the driver used too much memory";
}
