//! When work in the background rests: on battery, and while others keep every core busy, where that can be known.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long to wait before looking again.
const LOOK: Duration = Duration::from_secs(5);
/// How much a thread of ours adds to the load of the machine.
const OWN_LOAD: f32 = 1.0;
/// More bytes than a line of the system has.
const LINE_BYTES_MAX: u64 = 4_096;

/// Has everything that this thread does, and those that it starts, come after what others do.
pub(super) fn lower_priority() {
    // Only Linux knows priorities of threads; elsewhere this would be the whole process.
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(None, 19);
    }
}

/// Whether this is a time to rest.
#[derive(Default)]
pub(super) struct Rest {
    is_resting: Cell<bool>,
}

impl Rest {
    /// Waits as long as it is time to rest. `wait` waits so long, and tells whether everything is to end; what is
    /// returned tells whether to go on.
    pub(super) fn is_over(&self, wait: impl Fn(Duration) -> bool) -> bool {
        if wait(Duration::ZERO) {
            return false;
        }
        while self.is_time() {
            if wait(LOOK) {
                return false;
            }
        }
        true
    }

    fn is_time(&self) -> bool {
        let load = line(Path::new("/proc/loadavg")).and_then(|line| load_of(&line));
        let is_busy = load.is_some_and(|load| {
            let own = if self.is_resting.get() { 0.0 } else { OWN_LOAD };
            is_busy(load - own, crate::runtime::n_threads())
        });
        let is_time = is_busy || is_on_battery(Path::new("/sys/class/power_supply"));
        self.is_resting.set(is_time);
        is_time
    }
}

/// Whether what others do takes every core.
fn is_busy(load: f32, n_cores: usize) -> bool {
    load >= n_cores as f32
}

/// The mean of the last minute.
fn load_of(line: &str) -> Option<f32> {
    line.split(' ').next()?.parse().ok()
}

/// Whether a battery is being emptied and nothing fills it. Mice and keyboards have batteries, too, but those are
/// theirs.
fn is_on_battery(supplies: &Path) -> bool {
    let Ok(entries) = fs::read_dir(supplies) else {
        return false;
    };
    let mut is_emptied = false;
    for entry in entries.flatten() {
        let told = |name: &str| line(&entry.path().join(name)).unwrap_or_default();
        match told("type").as_str() {
            "Mains" | "USB" if told("online") == "1" => return false,
            "Battery" if told("scope") != "Device" => {
                is_emptied |= told("status") == "Discharging";
            }
            _ => {}
        }
    }
    is_emptied
}

fn line(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(LINE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supplies(all: &[(&str, &[(&str, &str)])]) -> bool {
        let root = tempfile::tempdir().unwrap();
        for (name, facts) in all {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            for (fact, value) in *facts {
                fs::write(folder.join(fact), format!("{value}\n")).unwrap();
            }
        }
        is_on_battery(root.path())
    }

    #[test]
    fn a_machine_is_on_battery_when_its_own_is_emptied_and_nothing_fills_it() {
        let emptied: &[(&str, &str)] = &[("type", "Battery"), ("status", "Discharging")];
        let mouse: &[(&str, &str)] = &[
            ("type", "Battery"),
            ("status", "Discharging"),
            ("scope", "Device"),
        ];
        let plugged: &[(&str, &str)] = &[("type", "Mains"), ("online", "1")];
        let unplugged: &[(&str, &str)] = &[("type", "Mains"), ("online", "0")];
        assert!(supplies(&[("BAT0", emptied), ("AC", unplugged)]));
        assert!(!supplies(&[("BAT0", emptied), ("AC", plugged)]));
        assert!(!supplies(&[("hid", mouse), ("AC", unplugged)]));
        assert!(!supplies(&[]));
        assert!(!is_on_battery(Path::new("/nowhere")));
    }

    #[test]
    fn load_is_what_others_do() {
        assert_eq!(load_of("1.52 0.81 0.40 2/345 678"), Some(1.52));
        assert_eq!(load_of("nonsense"), None);
        assert!(is_busy(2.0, 2) && !is_busy(1.9, 2));
    }

    #[test]
    fn whoever_is_told_to_end_does_not_rest_first() {
        assert!(!Rest::default().is_over(|_| true));
    }
}
