//! When to try again, and when not.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::header::{DATE, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::error::{ModelError, Trouble};

/// How often a connection that is refused is tried again.
const N_CONNECTS: u32 = 2;

/// How often something is tried again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) n_retries: u32,
    /// The pause before the first retry; each further one is twice as long.
    pub(super) pause: Duration,
    /// A server that wants to be left alone for longer is told of instead.
    pub(super) pause_max: Duration,
}

impl Patience {
    /// Something a person waits for.
    pub(super) const PERSON: Self = Self {
        n_retries: 3,
        pause: Duration::from_millis(300),
        pause_max: Duration::from_secs(20),
    };

    /// Returns how long to wait before it is tried again, if it should be.
    pub(super) fn pause(&self, error: &ModelError, n_tries: u32) -> Option<Duration> {
        // Where nobody listens, it is rarely for a moment only.
        let n_retries = match error.trouble {
            Trouble::Unreachable => self.n_retries.min(N_CONNECTS),
            _ => self.n_retries,
        };
        if n_tries >= n_retries || !error.is_passing() {
            return None;
        }
        let pause = self.pause * 2u32.saturating_pow(n_tries.min(16));
        // Many who were turned away together must not come back together.
        let jittered = pause.mul_f64(0.5 + fastrand::f64());
        let pause = error
            .retry_after
            .map_or(jittered, |wanted| wanted.max(jittered / 2));
        (pause <= self.pause_max).then_some(pause)
    }
}

/// Returns how long a server wants to be left alone: in seconds, or until a time, which is compared with
/// the server's own clock and not with ours.
pub(super) fn wanted(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok();
    let value = text(RETRY_AFTER)?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let time = |text: &str| -> Option<Timestamp> { Some(rfc2822::parse(text).ok()?.timestamp()) };
    let seconds = time(value)?.as_second() - time(text(DATE)?)?.as_second();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_when_to_come_back() {
        let check = |date: &str, value: &str, seconds: Option<f64>| {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, date.parse().unwrap());
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            assert_eq!(wanted(&headers).map(|wait| wait.as_secs_f64()), seconds);
        };
        let date = "Wed, 21 Oct 2015 07:28:00 GMT";
        check(date, "7", Some(7.0));
        check(date, "0.5", Some(0.5));
        check(date, "Wed, 21 Oct 2015 07:28:09 GMT", Some(9.0));
        check(date, "Wed, 21 Oct 2015 07:27:00 GMT", Some(0.0));
        check(date, "soon", None);
        check(date, "-1", None);
        check("?", "Wed, 21 Oct 2015 07:28:09 GMT", None);
    }

    #[test]
    fn pauses_grow_and_end() {
        let patience = Patience::PERSON;
        let error = ModelError::new(Trouble::Failed, "", "");
        for n_tries in 0..patience.n_retries {
            let pause = patience.pause(&error, n_tries).unwrap().as_secs_f64();
            let middle = 0.3 * f64::from(1 << n_tries);
            assert!((middle * 0.5..=middle * 1.5).contains(&pause), "{pause}");
        }
        assert_eq!(patience.pause(&error, patience.n_retries), None);
        let refused = ModelError::new(Trouble::Refused, "", "");
        assert_eq!(patience.pause(&refused, 0), None);
    }

    #[test]
    fn what_the_server_wants_goes_first() {
        let mut error = ModelError::new(Trouble::Busy, "", "");
        error.retry_after = Some(Duration::from_secs(2));
        assert_eq!(Patience::PERSON.pause(&error, 0), error.retry_after);
        error.retry_after = Some(Duration::from_secs(3600));
        assert_eq!(Patience::PERSON.pause(&error, 0), None);
    }
}
