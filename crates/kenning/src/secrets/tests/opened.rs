//! What is typed to open something: passwords in commands and pipes, numbers of doors and cards, and
//! keys as PuTTY keeps them.

use super::{Dice, check, check_unchanged, letters};
use crate::secrets::mask;

/// A password as a person makes one, other in each test.
fn password(seed: u64) -> String {
    format!("{}7!{}", letters(seed + 1, 6), letters(seed + 77, 3))
}

#[test]
fn a_command_gives_its_password_away() {
    for (seed, command) in [
        "smbclient //nas/share -U jo%{}",
        "smbclient -Ujo%{} //nas/share",
        "rpcclient -U 'jo%{}' 10.0.0.2",
        "curl -u jo:{} https://shop.example/a",
        "sshpass -p {} ssh jo@host",
        "sshpass -p'{}' ssh jo@host",
        "lftp -u jo,{} ftp.shop.example",
        "http -a jo:{} shop.example",
        "sqlplus jo/{}@//db.shop.example:1521/x",
        "net user jo {} /add",
        "wpa_passphrase Home {}",
        "nmcli dev wifi connect Home password {}",
        "htpasswd -nb jo {}",
        "htpasswd -b .htpasswd jo {}",
        "plink -ssh -pw {} jo@host",
        "mosquitto_pub -u jo -P {} -t x",
        "keytool -list -storepass {}",
        "useradd -m -p {} jo",
        "mysqldump -ujo -p{} shop",
    ]
    .iter()
    .enumerate()
    {
        check(
            &format!("{command}\n"),
            &password(seed as u64),
            pattern(command),
        );
    }
}

fn pattern(command: &str) -> &'static str {
    match command {
        command if command.starts_with("curl") => "curl-password",
        _ => "password",
    }
}

#[test]
fn a_pipe_gives_its_password_away() {
    for (seed, command) in [
        "echo {} | sudo -S apt update",
        "echo '{}' | sudo -S -k true",
        "printf '%s\\n' \"{}\" | sudo -S ls",
        "echo -n {} | docker login -u jo --password-stdin",
        "echo jo:{} | sudo chpasswd",
        "echo \"{}\" | passwd --stdin jo",
        "sudo -S ls <<< {}",
        "su jo -c ls; echo {} | kinit jo",
        "sudo -S true <<<'{}'",
    ]
    .iter()
    .enumerate()
    {
        check(
            &format!("{command}\n"),
            &password(100 + seed as u64),
            "password",
        );
    }
}

#[test]
fn commands_without_a_password_stay() {
    check_unchanged("smbclient //nas/share -U jo\nsmbclient -U $USER%$PASS //nas/x\n");
    check_unchanged("echo hello | sudo tee /etc/motd\necho $PASSWORD | sudo -S ls\n");
    check_unchanged("echo -n admin | base64\nnet user jo /add\nsqlplus / as sysdba\n");
    check_unchanged("http -a option of HTTPie\nhtpasswd -c .htpasswd jo\n");
    check_unchanged("cat <<< \"$text\"\n");
}

#[test]
fn a_number_that_opens_something_is_masked_where_it_is_called_so() {
    for template in [
        "PIN: {}",
        "Bank card, PIN {}.",
        "My pin is {}",
        "SIM-Karte PIN: {} PUK: 1",
        "Pincode = {}",
        "PIN code for the door: {}",
        "| PIN | {} |",
        "**PIN:** {}",
        "Geheimzahl: {}",
        "digicode : {}",
        "Пин-код: {}",
        "PIN-kod: {}",
        "Tunnusluku: {}",
        "Alarm code {}",
        "door code: {}#",
    ] {
        check(template, "4821", "pin");
    }
    check("PUK: {}", "48213907", "pin");
}

#[test]
fn other_numbers_stay() {
    for text in [
        "pin 13 of the board is 3300 mV",
        "pinned at 4821",
        "spin 4821",
        "the pin was made in 1984",
        "PIN: 12",
        "PIN: 0000",
        "pin it to version 4821.3",
        "opin 4821",
        "PIN: 2024-03-01",
        "the shipping 4821",
        "a pin for 4821.50 EUR",
    ] {
        check_unchanged(text);
    }
}

#[test]
fn the_private_lines_of_a_putty_key_are_masked() {
    let mut dice = Dice(7);
    let mut lines = |n: usize| -> String {
        let line = |_| format!("{}\n", dice.text(crate::secrets::shape::BASE64, 64));
        (0..n).map(line).collect()
    };
    let (public, private) = (lines(4), lines(8));
    let key = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: jo\nPublic-Lines: 4\n{public}\
         Private-Lines: 8\n{private}Private-MAC: 0a1b\n"
    );
    for text in [key.clone(), key.replace('\n', "\r\n")] {
        let n_lines = text.lines().count();
        let (clean, findings) = mask(text);
        let is_left = private.lines().any(|line| clean.contains(line));
        assert!(!is_left, "{}", clean.as_str());
        assert!(!findings.is_empty());
        assert_eq!(clean.lines().count(), n_lines);
    }
}
